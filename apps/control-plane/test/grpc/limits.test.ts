import type { Dispatch } from "@cairnjs/schemas";
import { expect, it, onTestFinished } from "vitest";
import { type CallObserver, LastingWorker } from "../support/lasting-worker.ts";
import { startPlane } from "../support/plane-process.ts";
import { action } from "../support/test-hub.ts";
import { testBed, until } from "../support/test-engine.ts";
import { connectTo, registerActions, registerFlows, startRuns } from "../support/test-worker.ts";

const LIMIT = 3;
const RUNS = 30;
const STEPS = 6;

/** Counts what is open from outside: calls that a worker was sent, and that no worker has ended. */
class Observer implements CallObserver {
  readonly #open = new Map<string, Set<string>>();
  readonly #ended = new Set<string>();
  readonly most = new Map<string, number>();

  began(call: Dispatch): void {
    const id = `${call.runId}/${call.call}`;
    if (this.#ended.has(id)) return;
    const key = keyOf(call);
    const open = this.#open.get(key) ?? new Set();
    this.#open.set(key, open.add(id));
    this.most.set(key, Math.max(this.most.get(key) ?? 0, open.size));
  }

  ended(call: Dispatch): void {
    const id = `${call.runId}/${call.call}`;
    this.#ended.add(id);
    this.#open.get(keyOf(call))?.delete(id);
  }
}

/** The argument: `charge(1)` is called in each step of each run. */
const keyOf = ({ args }: Dispatch): string => (args as { json: string }).json;

it("never more calls of a key are open than its limit, while control planes are killed and workers vanish; all calls end", async () => {
  const bed = await testBed();
  let planes = [await startPlane(bed.url), await startPlane(bed.url)];
  const client = connectTo(planes[0]!.port);
  const concurrency = { limit: LIMIT, key: { path: "0" } };
  await registerActions(client, [{ ...action("remote.charge"), concurrency }]);
  await registerFlows(client);
  const observer = new Observer();
  let workers: LastingWorker[] = [];
  const hire = (): void => {
    const worker = new LastingWorker(`w-${Math.random()}`, 20, () => 1 + Math.random() * 20, observer);
    workers.push(worker);
    for (const { port } of planes) worker.join(port);
  };
  for (let n = 0; n < 4; n++) hire();
  onTestFinished(() => workers.forEach((worker) => worker.end()));
  await startRuns(
    client,
    Array.from({ length: RUNS }, () => ({ type: "remote.many", input: STEPS })),
  );
  const left = async (): Promise<number> => (await bed.query("SELECT FROM cairn.queue")).length;
  const progress = async (): Promise<number> => (await bed.query("SELECT FROM cairn.history")).length;
  for (let round = 0; round < 3; round++) {
    const before = await progress();
    await until(async () => (await progress()) > before + RUNS || (await left()) === 0);
    const gone = workers.splice(round % workers.length, 1)[0]!;
    gone.end();
    hire();
    if (round === 2) break;
    const doomed = planes[round % 2]!;
    await doomed.kill("SIGKILL");
    for (const worker of workers) worker.leave(doomed.port);
    const next = await startPlane(bed.url);
    planes = planes.map((plane) => (plane === doomed ? next : plane));
    for (const worker of workers) worker.join(next.port);
  }
  await until(async () => (await left()) === 0);
  expect(await bed.query("SELECT status, count(*)::int FROM cairn.runs GROUP BY 1")).toEqual([
    { status: "succeeded", count: RUNS },
  ]);
  expect(await bed.query("SELECT FROM cairn.limited_calls")).toHaveLength(0);
  const most = [...observer.most.values()];
  expect(Math.max(...most)).toBe(LIMIT);
}, 150_000);
