import { encodeThrown } from "cairnjs/host";
import { expect, it, onTestFinished } from "vitest";
import type { ControlPlane, RunNews } from "../../src/index.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { connectTo, RawWorker, refOf, registerFlows, startRun } from "../support/test-worker.ts";

async function watched(plane: ControlPlane): Promise<RunNews[]> {
  const news: RunNews[] = [];
  const feed = await plane.watchRuns((each) => news.push(each));
  onTestFinished(() => feed.close());
  return news;
}

function kindsOf(news: readonly RunNews[], runId: string): string[] {
  return news.filter((each) => each.runId === runId).map((each) => ("outcome" in each ? each.outcome : each.kind));
}

it("who watches hears of each run once, in the order of what it did", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed);
  const client = connectTo(plane.port);
  await registerFlows(client);
  const news = await watched(plane);
  const worker = await new RawWorker(plane.port, {}).open();
  const id = await startRun(client, "remote.paying", 5);
  const failed = { ...refOf(await worker.call(0)), value: { json: encodeThrown(new Error("no")).text } };
  const retry = { attempts: 3, baseMs: 1, capMs: 1 };
  worker.say({ outcomes: [{ ...failed, kind: "error", retry, durationMs: 1 }] });
  worker.answer(await worker.call(1), "7");
  await until(async () => kindsOf(news, id).includes("ended"));
  expect(kindsOf(news, id)).toEqual(["started", "failed", "succeeded", "ended"]);
  expect(news.find(({ kind }) => kind === "try")).toMatchObject({ attempt: 1, name: "remote.charge" });
  expect(news.find(({ kind }) => kind === "step")).toMatchObject({ attempt: 2, value: "7" });
});

it("what was before is not told again: a run that was under way is found, and goes on", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed);
  const client = connectTo(plane.port);
  await registerFlows(client);
  const worker = await new RawWorker(plane.port, {}).open();
  const id = await startRun(client, "remote.paying", 5);
  const call = await worker.call(0);
  await until(async () => (await bed.query("SELECT FROM cairn.history WHERE run_id = $1", id)).length > 0);
  const news = await watched(plane);
  worker.answer(call, "7");
  await until(async () => kindsOf(news, id).includes("ended"));
  expect(kindsOf(news, id)).toEqual(["found", "succeeded", "ended"]);
});
