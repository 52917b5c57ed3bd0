import type { Client } from "@grpc/grpc-js";
import type { Dispatch } from "@cairnjs/schemas";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CallObserver, LastingWorker } from "../support/lasting-worker.ts";
import { type PlaneProcess, startPlane } from "../support/plane-process.ts";
import { action } from "../support/test-hub.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connectTo, registerActions, registerFlows, startRuns } from "../support/test-worker.ts";

const LIMIT = 3;

/** Counts what is open from outside: calls that a worker was sent, and that no worker has ended. */
class Observer implements CallObserver {
  readonly #open = new Map<string, Set<string>>();
  readonly #ended = new Set<string>();
  readonly most = new Map<string, number>();
  /** Keys of calls, in the order in which they ended. */
  readonly order: string[] = [];

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
    if (!this.#ended.has(id)) this.order.push(keyOf(call));
    this.#ended.add(id);
    this.#open.get(keyOf(call))?.delete(id);
  }
}

/** The argument. */
const keyOf = ({ args }: Dispatch): string => (args as { json: string }).json;

/** Two control planes as processes and four workers, of which some are killed now and then. */
class Fleet {
  readonly bed: TestBed;
  readonly observer = new Observer();
  #planes: PlaneProcess[] = [];
  #workers: LastingWorker[] = [];
  #rounds = 0;

  constructor(bed: TestBed) {
    this.bed = bed;
    onTestFinished(() => this.#workers.forEach((worker) => worker.end()));
  }

  async open(): Promise<Client> {
    this.#planes = [await startPlane(this.bed.url), await startPlane(this.bed.url)];
    const client = connectTo(this.#planes[0]!.port);
    const concurrency = { limit: LIMIT, key: { path: "0" } };
    await registerActions(client, [{ ...action("remote.charge"), concurrency }]);
    await registerFlows(client);
    for (let n = 0; n < 4; n++) this.#hire();
    return client;
  }

  /** A worker vanishes, and another one comes. */
  loseWorker(): void {
    this.#workers.splice(this.#rounds % this.#workers.length, 1)[0]!.end();
    this.#hire();
  }

  async killPlane(): Promise<void> {
    const doomed = this.#planes[this.#rounds++ % 2]!;
    await doomed.kill("SIGKILL");
    for (const worker of this.#workers) worker.leave(doomed.port);
    const next = await startPlane(this.bed.url);
    this.#planes = this.#planes.map((plane) => (plane === doomed ? next : plane));
    for (const worker of this.#workers) worker.join(next.port);
  }

  #hire(): void {
    const worker = new LastingWorker(`w-${Math.random()}`, 20, () => 1 + Math.random() * 20, this.observer);
    this.#workers.push(worker);
    for (const { port } of this.#planes) worker.join(port);
  }

  async left(): Promise<number> {
    return (await this.bed.query("SELECT FROM cairn.queue")).length;
  }

  /** Until so many calls more have ended, or all. */
  async progress(calls: number): Promise<void> {
    const before = this.observer.order.length;
    await until(async () => this.observer.order.length >= before + calls || (await this.left()) === 0);
  }

  async succeeded(runs: number): Promise<void> {
    await until(async () => (await this.left()) === 0);
    expect(await this.bed.query("SELECT status, count(*)::int FROM cairn.runs GROUP BY 1")).toEqual([
      { status: "succeeded", count: runs },
    ]);
    expect(await this.bed.query("SELECT FROM cairn.limited_calls")).toHaveLength(0);
    expect(Math.max(...this.observer.most.values())).toBe(LIMIT);
  }
}

describe("never more calls of a key are open than its limit, while control planes are killed and workers vanish; all end", () => {
  it("of workflows, of which each step of each run has the same key", async () => {
    const fleet = new Fleet(await testBed());
    const client = await fleet.open();
    const [runs, steps] = [30, 6];
    await startRuns(
      client,
      Array.from({ length: runs }, () => ({ type: "remote.many", input: steps })),
    );
    for (let round = 0; round < 2; round++) {
      await fleet.progress(runs);
      fleet.loseWorker();
      await fleet.killPlane();
    }
    await fleet.progress(runs);
    fleet.loseWorker();
    await fleet.succeeded(runs);
  }, 150_000);

  it("of jobs; and no key starves another: few of one come to an end among many of another that came before", async () => {
    const fleet = new Fleet(await testBed());
    const client = await fleet.open();
    const jobs = (key: number, count: number) =>
      Array.from({ length: count }, () => ({ type: "remote.charge", input: key }));
    const [many, few] = [120, 10];
    await startRuns(client, [...jobs(1, many), ...jobs(2, few), ...jobs(3, few)]);
    await fleet.progress(30);
    fleet.loseWorker();
    await fleet.killPlane();
    await fleet.progress(30);
    fleet.loseWorker();
    await fleet.killPlane();
    await fleet.succeeded(many + 2 * few);
    const { order } = fleet.observer;
    // The others may have been at a control plane that was killed, until its lease had run out.
    for (const key of ["[2]", "[3]"]) {
      const half = order.flatMap((each, turn) => (each === key ? [turn] : []))[few / 2 - 1]!;
      expect(order.slice(0, half).filter((each) => each === "[1]").length).toBeLessThan(many / 2);
    }
  }, 150_000);
});
