import { VPromise, isLive } from "../heap/promise.ts";
import { VObject } from "../heap/value.ts";
import { Frame } from "../machine/frame.ts";
import type { Job } from "../machine/jobs.ts";
import type { Machine } from "../machine/machine.ts";
import { readReaction, writeReaction } from "./layout-promise.ts";
import type { In, Out } from "./layout.ts";
import { invalid } from "./reader.ts";
import { readRecords } from "./records.ts";

/** Everything of the machine that is not an object. The order is the format; `readRoots` follows it. */
export function writeRoots(machine: Machine, out: Out): void {
  out.byte(["new", "running", "compensating", "ended"].indexOf(machine.phase));
  out.uint(machine.inputNumber);
  out.uint(machine.ordinal);
  out.double(machine.at);
  for (const word of machine.chance) out.int(word);
  out.uint(machine.fuelUsed);
  out.uint(machine.pendingFuel);
  out.uint(Math.max(0, machine.bytesAllocated));
  out.uint(machine.bytesLive);
  out.uint(machine.bytesCounted);
  out.text(JSON.stringify([machine.info, machine.cancelled, machine.outcome, machine.effects, machine.compensations]));
  out.text(JSON.stringify([...machine.signals]));
  out.value(machine.frame as never);
  out.value(machine.body);
  out.uint(machine.open.size);
  for (const call of machine.open.values()) {
    out.text(call.id);
    out.byte(OPEN_KINDS.indexOf(call.kind));
    out.uint(call.node);
    out.key(call.name);
    out.value(call.promise);
  }
  out.uint(machine.unhandled.length);
  for (const promise of machine.unhandled) out.value(promise);
  const jobs = machine.jobs.slice(machine.jobsTaken).filter((job) => job.kind === "thenable" || isLive(job.reaction));
  out.uint(jobs.length);
  for (const job of jobs) {
    if (job.kind === "thenable") {
      out.byte(0);
      out.value(job.promise);
      out.value(job.thenable);
      out.value(job.then);
    } else {
      out.byte(job.fulfilled ? 2 : 1);
      out.value(job.value);
      writeReaction(job.reaction, out);
    }
  }
}

const OPEN_KINDS = ["call", "child", "sleep", "wait", "compensation"] as const;

export function readRoots(machine: Machine, from: In): void {
  const phase = (["new", "running", "compensating", "ended"] as const)[from.byte()];
  if (phase === undefined) invalid("a run in no known phase");
  machine.phase = phase;
  machine.inputNumber = from.uint();
  machine.ordinal = from.uint();
  machine.at = from.double();
  machine.chance = [from.int() | 0, from.int() | 0, from.int() | 0, from.int() | 0];
  machine.fuelUsed = from.uint();
  machine.takePending();
  machine.spend(from.uint());
  machine.bytesAllocated = from.uint();
  machine.bytesLive = from.uint();
  machine.bytesCounted = from.uint();
  readRecords(machine, from.text(), from.text());
  machine.frame = from.optional(Frame);
  machine.body = from.optional(VPromise);
  machine.open.clear();
  const open = from.count();
  for (let index = 0; index < open; index++) {
    const id = from.text();
    const kind = OPEN_KINDS[from.byte()];
    if (kind === undefined) invalid("an open call of no known kind");
    const node = from.uint();
    const name = from.key();
    machine.open.set(id, { id, kind, node, name, promise: from.optional(VPromise) });
  }
  machine.unhandled = Array.from({ length: from.count() }, () => from.object(VPromise));
  machine.jobsTaken = 0;
  machine.jobs = Array.from({ length: from.count() }, () => readJob(from));
}

function readJob(from: In): Job {
  const kind = from.byte();
  if (kind === 0) {
    const promise = from.object(VPromise);
    const thenable = from.value();
    if (!(thenable instanceof VObject)) invalid("a thenable that is no object");
    return { kind: "thenable", promise, thenable, then: from.value() };
  }
  if (kind > 2) invalid("a job of no known kind");
  const value = from.value();
  return { kind: "reaction", value, reaction: readReaction(from), fulfilled: kind === 2 };
}
