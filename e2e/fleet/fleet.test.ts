import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPlane } from "../../apps/control-plane/test/support/plane-process.ts";
import { openPlane, runRow } from "../../apps/control-plane/test/support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../../apps/control-plane/test/support/test-engine.ts";
import { connectTo, startRun, startRuns } from "../../apps/control-plane/test/support/test-worker.ts";
import { workerProcess } from "../../packages/worker/test/support/worker-process.ts";

const modules = fileURLToPath(new URL("modules/", import.meta.url));
/** A call of which nothing is heard for three of these is lost. */
const heartbeatMs = 1_000;

/** `cairn-worker`, told of one control plane. */
function startWorker(port: number, files: readonly string[] = ["work.ts"], env: Record<string, string> = {}) {
  return workerProcess({
    CONTROL_PLANE_GRPC_URL: `127.0.0.1:${port}`,
    CAIRN_MODULES: files.map((file) => modules + file).join(","),
    CAIRN_TYPE_PREFIXES: "fleet.",
    ...env,
  });
}

const startPlanes = (bed: TestBed, options = {}) =>
  Promise.all([startPlane(bed.url, options), startPlane(bed.url, options)]);

type WorkerOfTest = ReturnType<typeof startWorker>;

/** Once it has a stream to so many control planes. */
async function connected(worker: WorkerOfTest, planes = 1): Promise<void> {
  await until(async () => (worker.output().match(/Connected to the control plane/g) ?? []).length >= planes);
}

const allEnded = (bed: TestBed) => until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);

const statuses = (bed: TestBed) => bed.query("SELECT status, count(*)::int FROM cairn.runs GROUP BY 1");

function attempts(bed: TestBed): Promise<object[]> {
  return bed.query("SELECT outcome, attempt, count(*)::int FROM cairn.step_attempts GROUP BY 1, 2 ORDER BY 2, 1 DESC");
}

/** Of a file that is not there yet: builds end when it is. */
function fileToCome(): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-fleet-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "enough");
}

const holds = (prefix: string, durations: readonly number[]) =>
  durations.map((ms, index) => ({ type: "fleet.holding.v1", input: { name: `${prefix}${index}`, ms } }));

const builds = (name: string, file: string, count: number) =>
  Array.from({ length: count }, () => ({ type: "fleet.building.v1", input: { name, file } }));

function begunOf(worker: WorkerOfTest, line: string): number {
  return worker.output().split(line).length - 1;
}

/** How many executions there were. */
function begun(...workers: readonly WorkerOfTest[]): number {
  return workers.reduce((sum, worker) => sum + begunOf(worker, " begins"), 0);
}

describe("processes that are killed", () => {
  it("a worker: its calls begin elsewhere within 2 s, and count as no attempt", async () => {
    const bed = await testBed();
    const plane = await startPlane(bed.url);
    const [doomed, other] = [startWorker(plane.port), startWorker(plane.port)];
    for (const worker of [doomed, other]) await connected(worker);
    const file = fileToCome();
    await startRuns(connectTo(plane.port), builds("it", file, 20));
    await until(async () => begun(doomed, other) === 20);
    const lost = begun(doomed);
    expect(lost).toBeGreaterThan(0);
    const before = performance.now();
    doomed.child.kill("SIGKILL");
    await until(async () => begun(other) === 20);
    const tookMs = performance.now() - before;
    writeFileSync(file, "");
    console.log(`${lost} calls of a worker that was killed have begun elsewhere after ${tookMs.toFixed(0)} ms`);
    expect(tookMs).toBeLessThan(2_000);
    await allEnded(bed);
    expect(await statuses(bed)).toEqual([{ status: "succeeded", count: 20 }]);
    expect(await attempts(bed)).toEqual([
      { outcome: "succeeded", attempt: 1, count: 20 - lost },
      { outcome: "lost", attempt: 1, count: lost },
      { outcome: "succeeded", attempt: 2, count: lost },
    ]);
  });

  it("a control plane: its calls go on, their results arrive at the new owner, and no attempt is lost", async () => {
    const bed = await testBed();
    const [doomed, survivor] = await startPlanes(bed, { heartbeatMs });
    const workers = [startWorker(doomed.port), startWorker(survivor.port)];
    for (const worker of workers) await connected(worker, 2);
    // Some end before anyone notices, some while their runs are taken over, some long after they should have been heard of.
    const durations = Array.from({ length: 40 }, (_, index) => 300 + index * 110);
    await startRuns(connectTo(doomed.port), holds("call-", durations));
    await until(async () => begun(...workers) === 40);
    await doomed.kill("SIGKILL");
    await allEnded(bed);
    expect(await statuses(bed)).toEqual([{ status: "succeeded", count: 40 }]);
    expect(await attempts(bed)).toEqual([{ outcome: "succeeded", attempt: 1, count: 40 }]);
    expect(begun(...workers)).toBe(40);
  });

  it("the only control plane, and one is started in its place: the same", async () => {
    const bed = await testBed();
    const doomed = await startPlane(bed.url, { heartbeatMs });
    const worker = startWorker(doomed.port);
    await connected(worker);
    await startRuns(connectTo(doomed.port), holds("call-", [100, 1_000, 2_500, 4_000]));
    await until(async () => begun(worker) === 4);
    await doomed.kill("SIGKILL");
    await startPlane(bed.url, { heartbeatMs, port: doomed.port });
    await allEnded(bed);
    const all = await attempts(bed);
    expect(all).toEqual([{ outcome: "succeeded", attempt: 1, count: 4 }]);
    expect(begun(worker)).toBe(4);
  });
});

it("a control plane that stood still takes no worker for silent: what they said waits in its sockets", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed, { workerHeartbeatMs: heartbeatMs });
  const worker = startWorker(plane.port);
  await connected(worker);
  const file = fileToCome();
  await startRuns(connectTo(plane.port), builds("it", file, 5));
  await until(async () => begun(worker) === 5);
  // Longer than a worker may be silent. Timers come next, and sockets after them.
  await new Promise((resolve) => setImmediate(resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  writeFileSync(file, "");
  await allEnded(bed);
  expect(await attempts(bed)).toEqual([{ outcome: "succeeded", attempt: 1, count: 5 }]);
  expect(begun(worker)).toBe(5);
});

describe("deploys", () => {
  it("three of them, of control plane and worker, do not exhaust an action of one attempt", async () => {
    const bed = await testBed();
    const start = async () => {
      const plane = await startPlane(bed.url);
      const worker = startWorker(plane.port, ["work.ts"], { CAIRN_WORKER_DRAIN_MS: "300" });
      await connected(worker);
      return { plane, worker };
    };
    let old = await start();
    const file = fileToCome();
    const id = await startRun(connectTo(old.plane.port), "fleet.building.v1", { name: "it", file });
    await old.worker.says("build it begins with 0, attempt 1");
    for (const first of ["worker", "plane", "both"]) {
      const next = await start();
      const ends = {
        worker: async () => {
          old.worker.child.kill("SIGTERM");
          expect(await old.worker.exit).toBe(0);
        },
        plane: async () => expect(await old.plane.kill("SIGTERM")).toBe(0),
      };
      if (first === "both") await Promise.all([ends.worker(), ends.plane()]);
      else {
        await ends[first as "worker" | "plane"]();
        await ends[first === "worker" ? "plane" : "worker"]();
      }
      await next.worker.says("build it begins");
      expect(next.worker.output()).toMatch(/build it begins with [1-9]/);
      old = next;
    }
    writeFileSync(file, "");
    await allEnded(bed);
    expect(await runRow(bed, id)).toMatchObject({ status: "succeeded", result: expect.any(Number) });
    expect(await attempts(bed)).toMatchObject([
      { outcome: "lost", attempt: 1 },
      { outcome: "lost", attempt: 2 },
      { outcome: "lost", attempt: 3 },
      { outcome: "succeeded", attempt: 4 },
    ]);
  });

  it("a rolling one: with workers that lack the new action beside those that have it, no run fails", async () => {
    const bed = await testBed();
    const plane = await startPlane(bed.url);
    const client = connectTo(plane.port);
    const older = [startWorker(plane.port), startWorker(plane.port)];
    for (const worker of older) await connected(worker);
    const newest = ["work.ts", "added.ts"];
    const ofBoth = [...holds("call-", [50, 500]), ...[1, 2, 3].map((input) => ({ type: "fleet.adding.v1", input }))];
    const start = async () => {
      const started = await startRuns(client, ofBoth);
      expect(started.map(({ kind }) => kind)).toEqual(ofBoth.map(() => "started"));
    };
    // The first one that has it registers it, and is gone at once.
    const first = startWorker(plane.port, newest);
    await connected(first);
    await start();
    first.child.kill("SIGTERM");
    await start();
    expect(await first.exit).toBe(0);
    await start();
    await until(async () => {
      const rows = await bed.query("SELECT FROM cairn.queue WHERE waiting_for = 'a worker that has fleet.added'");
      return rows.length >= 3;
    });
    for (const worker of older) {
      await connected(startWorker(plane.port, newest));
      await start();
      worker.child.kill("SIGTERM");
      await start();
      expect(await worker.exit).toBe(0);
    }
    await start();
    await allEnded(bed);
    expect(await statuses(bed)).toEqual([{ status: "succeeded", count: 8 * ofBoth.length }]);
  });
});

describe("two control planes and four workers", () => {
  const PLACES = 40;

  it("each worker, told of one, serves runs of both, and credits go to where calls wait", async () => {
    const bed = await testBed();
    const planes = await startPlanes(bed);
    const env = { CAIRN_WORKER_CAPACITY: String(PLACES / 4) };
    const workers = [0, 0, 0, 1].map((index) => startWorker(planes[index]!.port, ["work.ts"], env));
    for (const worker of workers) await connected(worker, 2);
    const clients = planes.map(({ port }) => connectTo(port));
    const files = [fileToCome(), fileToCome()];
    // Who starts a run has it.
    const start = (plane: number, count: number) =>
      startRuns(clients[plane]!, builds(`at-${plane}`, files[plane]!, count));
    const running = (plane: number) => workers.map((worker) => begunOf(worker, `build at-${plane} begins`));
    const reached = async (plane: number, count: number): Promise<void> => {
      const before = performance.now();
      const sum = (): number => running(plane).reduce((all, one) => all + one);
      // If credits stayed where they were, it would be half of the places.
      await until(async () => sum() >= count || performance.now() - before > 15_000);
      const ms = (performance.now() - before).toFixed(0);
      console.log(`of ${PLACES} places, ${sum()} have calls of the control plane where calls wait, after ${ms} ms`);
    };
    await start(0, 100);
    await reached(0, PLACES);
    expect(running(0)).toEqual([10, 10, 10, 10]);
    // The other one has something to do now, and gets places as they come free.
    await start(1, 20);
    writeFileSync(files[0]!, "");
    await reached(1, 20);
    await start(1, 80);
    await reached(1, PLACES);
    expect(running(1)).toEqual([10, 10, 10, 10]);
    writeFileSync(files[1]!, "");
    await allEnded(bed);
    expect(await attempts(bed)).toEqual([{ outcome: "succeeded", attempt: 1, count: 200 }]);
  });
});
