import { action } from "cairnjs";
import { describe, expect, it } from "vitest";
import { ActionHost, type CallOutcome, type Dispatch } from "../src/host/index.ts";
import { RunningCall } from "../src/host/action-runner.ts";
import { Outbox } from "../src/session/outbox.ts";
import { Tries } from "../src/tries.ts";
import { until } from "./support/until.ts";

const ends = new Map<string, () => void>();
action("host.held", async (key: string) => {
  await new Promise<void>((end) => ends.set(key, end));
  return key;
});

function tryOf(call: string, attempt: number): Dispatch {
  const about = { namespace: "default", type: "host.v1", version: "1", priority: 0, deadline: null, traceparent: null };
  const args = JSON.stringify([`${call} ${attempt}`]);
  return {
    ...about,
    incarnation: "11111111-1111-4111-8111-111111111111",
    runId: "r",
    call,
    attempt,
    action: "host.held",
    args,
    options: null,
  };
}

describe("what runs actions in library mode", () => {
  it("leaves a try that has not begun to the one that takes its place", async () => {
    const reported: CallOutcome[] = [];
    const host = new ActionHost<string>({
      capacity: 1,
      worker: "here",
      report: (_owner, outcomes) => void reported.push(...outcomes),
      loaded: () => {},
      streamed: () => {},
      flushed: async () => {},
    });
    host.dispatch("owner", [tryOf("first", 1), tryOf("second", 1)]);
    host.dispatch("owner", [tryOf("second", 2)]);
    for (const key of ["first 1", "second 2"]) (await until(() => ends.get(key), key))();
    await host.idle();
    await until(() => reported.length === 2);
    expect([...ends.keys()]).toEqual(["first 1", "second 2"]);
  });

  it("is idle when nobody waits for what still runs: a handler may not listen to its signal", async () => {
    const host = new ActionHost<string>({ capacity: 2, worker: "here", report: () => {}, loaded: () => {} });
    host.dispatch("owner", [tryOf("deaf", 1), tryOf("wanted", 1)]);
    const end = await until(() => ends.get("wanted 1"), "wanted");
    let isIdle = false;
    const idle = host.idle().then(() => (isIdle = true));
    host.abort([{ runId: "r", call: "deaf" }]);
    await Promise.resolve();
    expect(isIdle).toBe(false);
    end();
    await idle;
    expect(host.load).toBe(1);
    ends.get("deaf 1")!();
  });
});

describe("what is to be said on a stream", () => {
  it("is nothing of a try that is gone meanwhile", () => {
    const tries = new Tries();
    const outbox = new Outbox();
    const [gone, there, running] = ["1.0", "2.0", "3.0"].map((call) =>
      tries.add({ incarnation: "11111111-1111-4111-8111-111111111111", runId: "r", call, attempt: 1 })!,
    );
    for (const one of [gone!, there!]) {
      const { incarnation, runId, call, attempt } = one.ref;
      one.outcome = {
        incarnation,
        runId,
        call,
        attempt,
        kind: "result",
        value: { json: "1" },
        retry: null,
        durationMs: 1,
      };
      outbox.offer(one);
    }
    for (const one of [gone!, there!, running!]) outbox.beat(one);
    tries.remove(gone!);
    const frame = outbox.next();
    expect(frame?.outcomes?.map(({ call }) => call)).toEqual(["2.0"]);
    expect(frame?.heartbeats?.map(({ call }) => call)).toEqual(["3.0"]);
    expect(outbox.next()).toBeNull();
  });

  it("says the outcome of a try behind what it has streamed, though that takes several frames", async () => {
    const [tries, outbox] = [new Tries(), new Outbox()];
    const text = JSON.stringify("x".repeat(60_000));
    for (const call of ["1.0", "2.0", "3.0", "4.0"]) {
      const dispatch = tryOf(call, 1);
      const one = tries.add(dispatch)!;
      one.running = new RunningCall(dispatch, null, { ended: () => {}, told: () => {}, streamed: () => {} });
      for (let times = 0; times < 4; times += 1) await one.running.stream({ text, bytes: text.length });
      one.outcome = { ...one.ref, kind: "result", value: { json: "1" }, retry: null, durationMs: 1 };
      tries.end(one);
      outbox.offer(one);
    }
    const said: string[] = [];
    let frames = 0;
    for (let frame = outbox.next(); frame !== null; frame = outbox.next()) {
      frames += 1;
      for (const { call, number } of frame.chunks ?? []) said.push(`${call} ${number}`);
      for (const { call } of frame.outcomes ?? []) said.push(`${call} ended`);
    }
    expect(frames).toBeGreaterThan(1);
    for (const call of ["1.0", "2.0", "3.0", "4.0"]) {
      const own = said.filter((each) => each.startsWith(call));
      expect(own).toEqual([1, 2, 3, 4, "ended"].map((each) => `${call} ${each}`));
    }
  });
});
