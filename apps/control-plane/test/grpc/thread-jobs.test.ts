import { expect, it } from "vitest";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { action } from "../support/test-hub.ts";
import { connectTo, RawWorker, registerActions, startRun } from "../support/test-worker.ts";

/** Twice what the worker has places for, and as many again. */
const CLAIMED_TOGETHER = 20;

it("jobs that wait for a thread keep none of their segment waiting that needs none, and begin by age", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed);
  const client = connectTo(plane.port);
  const actions = [{ ...action("media.render"), isolate: "thread" as const }, action("media.tag")];
  await registerActions(client, actions);
  let isRendering = true;
  const worker = await new RawWorker(plane.port, {
    prefixes: ["media."],
    actions,
    threads: 1,
    answer: (call) => (call.action === "media.tag" || !isRendering ? "1" : null),
  }).open(5);
  await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length === 1);
  const renders: string[] = [];
  for (let n = 0; n < 60; n++) renders.push(await startRun(client, "media.render", n));
  await worker.call(0);
  const tag = await startRun(client, "media.tag", 1);
  await untilRun(bed, tag, ({ status }) => status === "succeeded");
  const begun = (): readonly string[] =>
    worker.calls.filter((call) => call.action === "media.render").map(({ runId }) => runId);
  expect(begun()).toHaveLength(1);
  isRendering = false;
  worker.credit(100);
  worker.heard = () => worker.credit(100);
  worker.answer(worker.calls[0]!, "1");
  await until(async () => (await bed.query("SELECT FROM cairn.queue LIMIT 1")).length === 0);
  const places = begun().map((id) => renders.indexOf(id));
  expect(places.toSorted((a, b) => a - b)).toEqual(renders.map((_, place) => place));
  // Those that are claimed together may come to the hub in another order.
  const off = places.map((place, turn) => Math.abs(place - turn));
  expect(Math.max(...off)).toBeLessThan(CLAIMED_TOGETHER);
});
