import { action } from "cairnjs";
import { describe, expect, it } from "vitest";
import { ActionHost, type CallOutcome, type Dispatch } from "../src/host/index.ts";
import { Outbox } from "../src/session/outbox.ts";
import { Tries } from "../src/tries.ts";
import { until } from "./support/until.ts";

const ends = new Map<string, () => void>();
action("host.held", async (key: string) => {
  await new Promise<void>((end) => ends.set(key, end));
  return key;
});

function tryOf(call: string, attempt: number): Dispatch {
  const about = { namespace: "default", type: "host.v1", version: "1", priority: 0, deadline: null };
  const args = JSON.stringify([`${call} ${attempt}`]);
  return { ...about, runId: "r", call, attempt, action: "host.held", args, options: null };
}

describe("what runs actions in library mode", () => {
  it("leaves a try that has not begun to the one that takes its place", async () => {
    const reported: CallOutcome[] = [];
    const host = new ActionHost<string>({
      capacity: 1,
      worker: "here",
      report: (_owner, outcomes) => void reported.push(...outcomes),
      loaded: () => {},
    });
    host.dispatch("owner", [tryOf("first", 1), tryOf("second", 1)]);
    host.dispatch("owner", [tryOf("second", 2)]);
    for (const key of ["first 1", "second 2"]) (await until(() => ends.get(key), key))();
    await host.idle();
    await until(() => reported.length === 2);
    expect([...ends.keys()]).toEqual(["first 1", "second 2"]);
  });
});

describe("what is to be said on a stream", () => {
  it("is nothing of a try that is gone meanwhile", () => {
    const tries = new Tries();
    const outbox = new Outbox();
    const [gone, there] = ["1.0", "2.0"].map((call) => tries.add({ runId: "r", call, attempt: 1 })!);
    for (const one of [gone!, there!]) {
      const { runId, call, attempt } = one.ref;
      one.outcome = { runId, call, attempt, kind: "result", value: { json: "1" }, retry: null, durationMs: 1 };
      outbox.offer(one);
      outbox.beat(one);
    }
    tries.remove(gone!);
    const frame = outbox.next();
    expect(frame?.outcomes?.map(({ call }) => call)).toEqual(["2.0"]);
    expect(frame?.heartbeats?.map(({ call }) => call)).toEqual(["2.0"]);
    expect(outbox.next()).toBeNull();
  });
});
