import { createHash } from "node:crypto";
import { VDurable, VSignal } from "../heap/durable.ts";
import { isLive } from "../heap/promise.ts";
import { UNSUPPORTED } from "../heap/properties.ts";
import type { Shape } from "../heap/shape.ts";
import { UNINIT, VBuiltin, VClosure, VIntrinsic, VObject } from "../heap/value.ts";
import type { Frame, Slot } from "../machine/frame.ts";
import type { Machine } from "../machine/machine.ts";
import { writeReaction } from "./layout-code.ts";
import type { HeapObject, Out } from "./layout.ts";
import { layoutOf } from "./layouts.ts";
import { DELTA, FULL, SNAPSHOT_FORMAT, Tag } from "./tags.ts";
import { Writer } from "./writer.ts";

export interface EncodeOptions {
  /** Strings of at least this many characters are kept apart as blobs. */
  readonly blobLengthMin?: number;
}

export interface Encoded {
  readonly kind: "full" | "delta";
  readonly bytes: Uint8Array;
  /** What was kept apart, by SHA-256. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** The machine's whole state. Objects are numbered in order of first visit; only what is reachable is written. */
export function encodeFull(machine: Machine, options: EncodeOptions = {}): Encoded {
  const encoder = new Encoder(machine, 0, options);
  const encoded = encoder.encode();
  encoder.commit();
  return encoded;
}

/**
 * What has changed since the last snapshot of this machine. Objects of that snapshot which nothing has written
 * are neither visited nor written, so the cost is of the change, not of the state.
 */
export function encodeDelta(machine: Machine, options: EncodeOptions = {}): Encoded {
  if (machine.snapshotNext === 0) throw new Error("there is no snapshot that a delta could follow");
  const encoder = new Encoder(machine, machine.snapshotNext, options);
  const encoded = encoder.encode();
  encoder.commit();
  return encoded;
}

/** Snapshots beyond this size are followed by deltas. */
const DELTA_BASE_BYTES_MIN = 64 * 1024;

/** Full while small; then deltas, until together they outweigh the base. */
export function encodeState(machine: Machine, options: EncodeOptions = {}): Encoded {
  const { snapshotBaseBytes: base, snapshotDeltaBytes: deltas } = machine;
  if (machine.snapshotNext > 0 && base >= DELTA_BASE_BYTES_MIN && deltas < base) return encodeDelta(machine, options);
  return encodeFull(machine, options);
}

class Stream extends Writer implements Out {
  private readonly texts = new Map<string, number>();
  private readonly nameLists = new Map<string, number>();
  private readonly shapes = new Map<Shape, number>();
  private readonly encoder: Encoder;

  constructor(encoder: Encoder) {
    super();
    this.encoder = encoder;
  }

  key(text: string): void {
    const number = this.texts.get(text);
    if (number !== undefined) {
      this.uint(number + 1);
      return;
    }
    this.uint(0);
    this.text(text);
    this.texts.set(text, this.texts.size);
  }

  names(object: VObject): readonly string[] {
    const { shape } = object;
    const known = shape === null ? undefined : this.shapes.get(shape);
    if (known !== undefined) {
      this.uint(known + 1);
      return shape!.keys;
    }
    const keys = object.keys();
    // Two objects with the same names are written alike, whatever way their names are kept in memory.
    const joined = JSON.stringify(keys);
    let number = this.nameLists.get(joined);
    this.uint(number === undefined ? 0 : number + 1);
    if (number === undefined) {
      number = this.nameLists.size;
      this.nameLists.set(joined, number);
      this.uint(keys.length);
      for (const key of keys) this.key(key);
    }
    if (shape !== null) this.shapes.set(shape, number);
    return keys;
  }

  /** Only who measures wants to know. */
  weigh(): void {}

  value(value: Slot): void {
    switch (typeof value) {
      case "undefined":
        this.byte(Tag.Undefined);
        return;
      case "boolean":
        this.byte(value ? Tag.True : Tag.False);
        return;
      case "number":
        this.number(value);
        return;
      case "string":
        this.string(value);
        return;
      case "bigint":
        this.byte(Tag.Bigint);
        this.text(value.toString(16));
        return;
      default:
        this.reference(value);
    }
  }

  private number(value: number): void {
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 51 && !Object.is(value, -0)) {
      this.byte(Tag.Int);
      this.int(value);
    } else {
      this.byte(Tag.Double);
      this.double(value);
    }
  }

  private string(value: string): void {
    const number = this.texts.get(value);
    if (number !== undefined) {
      this.byte(Tag.SameText);
      this.uint(number);
      return;
    }
    const digest = this.encoder.blob(value);
    if (digest === null) {
      this.byte(Tag.Text);
      this.text(value);
    } else {
      this.byte(Tag.Blob);
      this.text(digest);
    }
    this.texts.set(value, this.texts.size);
  }

  private reference(value: Exclude<Slot, string | number | boolean | bigint | undefined>): void {
    if (value === null) {
      this.byte(Tag.Null);
    } else if (value === UNINIT) {
      this.byte(Tag.Uninit);
    } else {
      const object = value as HeapObject;
      if (object instanceof VObject && object.captured) this.shared(object);
      else {
        this.byte(Tag.Object);
        this.uint(this.encoder.numberOf(object));
      }
    }
  }

  /** Objects of the realm and of the program are named, not written. */
  private shared(object: VObject): void {
    if (object === UNSUPPORTED) {
      this.byte(Tag.Unsupported);
    } else if (object instanceof VIntrinsic || object instanceof VBuiltin) {
      this.byte(Tag.Intrinsic);
      this.key(object.path);
    } else if ((object instanceof VDurable || object instanceof VSignal) && object.index >= 0) {
      this.byte(Tag.Durable);
      this.uint(object.index);
    } else if (object instanceof VClosure && object.unit.prelude) {
      this.byte(Tag.PreludeFunction);
      this.uint(object.unit.index);
    } else {
      const number = this.encoder.machine.image.capturedNumbers.get(object);
      if (number === undefined) throw new Error("a constant that the program does not have");
      this.byte(Tag.Captured);
      this.uint(number);
    }
  }
}

class Encoder {
  readonly machine: Machine;
  private readonly base: number;
  private readonly options: EncodeOptions;
  private readonly shells: Stream;
  private readonly bodies: Stream;
  /** Tells objects that this encoding has met from the others: cheaper than a map of all objects. */
  private readonly round: number;
  private readonly added: HeapObject[] = [];
  private readonly blobs = new Map<string, Uint8Array>();
  private bytesLength = 0;

  constructor(machine: Machine, base: number, options: EncodeOptions) {
    this.machine = machine;
    this.round = ++machine.encodings;
    this.base = base;
    this.options = options;
    this.shells = new Stream(this);
    this.bodies = new Stream(this);
  }

  encode(): Encoded {
    writeRoots(this.machine, this.bodies);
    const changed = this.base === 0 ? [] : this.machine.touchedObjects.filter(({ snapshotId }) => snapshotId > 0);
    this.bodies.uint(changed.length);
    for (const object of changed) {
      this.bodies.uint(object.snapshotId);
      this.body(object);
    }
    // The list grows while it is walked: each body adds the objects it refers to for the first time.
    for (let index = 0; index < this.added.length; index++) this.body(this.added[index]!);
    const head = new Writer();
    head.byte(SNAPSHOT_FORMAT);
    head.byte(this.machine.image.program.semantics);
    head.text(this.machine.image.hash.slice(0, 16));
    head.byte(this.base === 0 ? FULL : DELTA);
    head.uint(this.base);
    head.uint(this.added.length);
    head.bytes(this.shells.finish());
    head.raw(this.bodies.finish());
    const bytes = head.finish();
    this.bytesLength = bytes.length;
    return { kind: this.base === 0 ? "full" : "delta", bytes, blobs: this.blobs };
  }

  /** From here on the machine's objects have these numbers, and are unchanged. */
  commit(): void {
    const { machine } = this;
    for (const object of machine.touchedObjects) object.touched = false;
    for (const object of this.added) {
      object.snapshotId = object.metAs;
      object.touched = false;
    }
    machine.touchedObjects = [];
    // Running frames write their registers without asking.
    for (let frame: Frame | null = machine.frame; frame !== null; frame = frame.caller) machine.markTouched(frame);
    machine.snapshotNext = (this.base === 0 ? 1 : this.base) + this.added.length;
    if (this.base === 0) {
      machine.snapshotBaseBytes = this.bytesLength;
      machine.snapshotDeltaBytes = 0;
    } else {
      machine.snapshotDeltaBytes += this.bytesLength;
    }
  }

  numberOf(object: HeapObject): number {
    if (this.base > 0 && object.snapshotId > 0) return object.snapshotId;
    if (object.metBy === this.round) return object.metAs;
    const number = (this.base === 0 ? 1 : this.base) + this.added.length;
    object.metBy = this.round;
    object.metAs = number;
    this.added.push(object);
    this.shells.byte(object.kind);
    layoutOf(object.kind).shell(object, this.shells);
    return number;
  }

  blob(text: string): string | null {
    if (text.length < (this.options.blobLengthMin ?? Number.POSITIVE_INFINITY)) return null;
    const bytes = Buffer.from(text, "utf16le");
    const digest = createHash("sha256").update(bytes).digest("hex");
    this.blobs.set(digest, bytes);
    return digest;
  }

  private body(object: HeapObject): void {
    layoutOf(object.kind).body(object, this.bodies);
  }
}

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

export const OPEN_KINDS = ["call", "child", "sleep", "wait", "compensation"] as const;
