import { expect, it, onTestFinished } from "vitest";
import { LastingWorker } from "../support/lasting-worker.ts";
import { startPlane } from "../support/plane-process.ts";
import { testBed, until } from "../support/test-engine.ts";
import { connectTo, registerFlows, startRuns } from "../support/test-worker.ts";

const RUNS = 60;
const STEPS = 20;
const SUM = (STEPS * (STEPS - 1)) / 2 + STEPS;

it("every run ends right while streams break, control planes are killed and started, and workers come and go", async () => {
  const bed = await testBed();
  let planes = [await startPlane(bed.url), await startPlane(bed.url)];
  const workers = [1, 2, 3].map((n) => new LastingWorker(`w-${n}`, 20, () => 5 + Math.random() * 150));
  onTestFinished(() => workers.forEach((worker) => worker.end()));
  for (const worker of workers) for (const { port } of planes) worker.join(port);
  const client = connectTo(planes[0]!.port);
  await registerFlows(client);
  await startRuns(
    client,
    Array.from({ length: RUNS }, () => ({ type: "remote.many", input: STEPS })),
  );
  const progress = async (): Promise<number> =>
    Number((await bed.query<{ count: string }>("SELECT count(*) FROM cairn.history"))[0]!.count);
  const left = async (): Promise<number> => (await bed.query("SELECT FROM cairn.queue")).length;
  for (let round = 0; round < 3; round++) {
    const before = await progress();
    // Where the machine is quick, all may have ended by now.
    await until(async () => (await progress()) > before + RUNS || (await left()) === 0);
    for (const { port } of planes) workers[round % workers.length]!.break(port);
    const doomed = planes[round % 2]!;
    await doomed.kill("SIGKILL");
    for (const worker of workers) worker.leave(doomed.port);
    const next = await startPlane(bed.url);
    planes = planes.map((plane) => (plane === doomed ? next : plane));
    for (const worker of workers) worker.join(next.port);
  }
  await until(async () => (await left()) === 0);
  const ends = await bed.query("SELECT status, result::text, count(*)::int FROM cairn.runs GROUP BY 1, 2");
  expect(ends).toEqual([{ status: "succeeded", result: String(SUM), count: RUNS }]);
  const [attempts] = await bed.query<{ failed: number; answered: number }>(
    `SELECT count(*) FILTER (WHERE outcome = 'failed')::int AS failed,
      count(*) FILTER (WHERE outcome = 'succeeded')::int AS answered FROM cairn.step_attempts`,
  );
  expect(attempts).toEqual({ failed: 0, answered: RUNS * STEPS * 2 });
}, 150_000);
