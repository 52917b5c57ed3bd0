import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { openWorker } from "../support/open-worker.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { type LastingWatcher, watchLastingly } from "../support/test-live.ts";
import { connectTo, startRuns } from "../support/test-worker.ts";
import { misplacedIn, placesOf } from "../support/told-order.ts";
import { sums } from "../workflows/basics.ts";

const RUNS = 5_000;
const BATCH = 250;
const TAGS = 10;

interface PlaneApp {
  readonly child: ChildProcess;
  readonly grpc: number;
  readonly http: number;
}

async function openApp(bed: TestBed): Promise<PlaneApp> {
  const app = fileURLToPath(new URL("live-app.mjs", import.meta.url));
  const env = { ...process.env, DATABASE_URL: bed.url };
  const child = fork(app, { env, execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [ports] = (await once(child, "message")) as [{ readonly grpc: number; readonly http: number }];
  return { child, ...ports };
}

async function rssOf({ child }: PlaneApp): Promise<number> {
  child.send("rss");
  const [{ rss }] = (await once(child, "message")) as [{ readonly rss: number }];
  return rss;
}

interface EventOf {
  readonly id: string;
  readonly run_id: string;
  readonly tags: readonly string[];
  readonly kind: string;
}

interface Watching {
  readonly query: string;
  readonly isWanted: (event: EventOf) => boolean;
  readonly watcher: LastingWatcher;
}

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const tagOf = (index: number): string => `t${index % TAGS}`;

class Storm {
  readonly bed: TestBed;
  readonly planes: PlaneApp[];
  readonly #client: ReturnType<typeof connectTo>;
  readonly #random: () => number;
  #turn = 0;

  constructor(bed: TestBed, planes: PlaneApp[], random: () => number) {
    this.#random = random;
    this.bed = bed;
    this.planes = planes;
    // Of the one that is not killed.
    this.#client = connectTo(planes[0]!.grpc);
    onTestFinished(() => this.#client.close());
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.planes[this.#turn++ % this.planes.length]!.http}/v1${path}`;
  }

  /** Started again until it is known that it was: a control plane may be killed meanwhile. */
  async start(id: string, index: number): Promise<void> {
    const body = JSON.stringify({ id, type: sums.name, payload: { n: 1 }, tags: [tagOf(index)] });
    await until(async () => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(this.url("/runs"), { method: "POST", headers, body }).catch(() => null);
      await response?.text();
      return response?.ok === true;
    });
  }

  async startTogether(ids: readonly string[], begun: number): Promise<void> {
    const run = (id: string, index: number) => ({ id, type: sums.name, input: { n: 1 }, tags: [tagOf(begun + index)] });
    const started = await startRuns(this.#client, ids.map(run));
    expect(started.every(({ kind }) => kind === "started")).toBe(true);
  }

  /** The same in one call. */
  async startBatch(ids: readonly string[], begun: number): Promise<void> {
    const run = (id: string, index: number) => ({
      id,
      type: sums.name,
      payload: { n: 1 },
      tags: [tagOf(begun + index)],
    });
    const body = JSON.stringify({ runs: ids.map(run) });
    await until(async () => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(this.url("/runs/batch"), { method: "POST", headers, body }).catch(() => null);
      const { items = [] } = ((await response?.json().catch(() => ({}))) ?? {}) as { items?: { id?: string }[] };
      return items.length === ids.length && items.every(({ id }) => id !== undefined);
    });
  }

  watchers(): Watching[] {
    const open = (query: string, isWanted: Watching["isWanted"]): Watching => ({
      query,
      isWanted,
      watcher: watchLastingly(() => this.url(`/events/stream${query}`)),
    });
    return [
      ...Array.from({ length: 20 }, () => open("", () => true)),
      ...Array.from({ length: 50 }, (_, index) =>
        open(`?tag=${tagOf(index)}`, ({ tags }) => tags.includes(tagOf(index))),
      ),
      ...Array.from({ length: 50 }, () => open("?type=test.*&kind=succeeded", ({ kind }) => kind === "succeeded")),
    ];
  }

  /** One pass: 5,000 runs while 200 watch, of whom each fourth comes back again and again. */
  async pass(meanwhile: () => Promise<void>): Promise<{ readonly returns: number; readonly told: number }> {
    const watching = this.watchers();
    await until(async () => watching.every(({ watcher }) => watcher.from !== null));
    const singles: { readonly id: string; readonly watcher: LastingWatcher }[] = [];
    const breaking = setInterval(() => {
      const all = [...watching, ...singles];
      for (let index = 0; index < all.length; index += 4) if (this.#random() < 0.3) all[index]!.watcher.breakOff();
    }, 250);
    const ids: string[] = [];
    for (let begun = 0; begun < RUNS; begun += BATCH) {
      const batch = Array.from({ length: BATCH }, () => newRunId(Date.now()));
      // One after the other by each of the ways there are.
      const way = (begun / BATCH) % 3;
      if (way === 0) await this.startTogether(batch, begun);
      else if (way === 1) await this.startBatch(batch, begun);
      else await Promise.all(batch.map((id, index) => this.start(id, begun + index)));
      ids.push(...batch);
      for (const id of batch.slice(0, 4)) {
        singles.push({ id, watcher: watchLastingly(() => this.url(`/runs/${id}/stream`)) });
      }
      if (begun === RUNS / 2) await meanwhile();
    }
    await until(async () => (await this.bed.query("SELECT FROM cairn.queue LIMIT 1")).length === 0);
    clearInterval(breaking);
    expect(watching.length + singles.length).toBe(200);
    const result = { returns: 0, told: 0 };
    await this.#check(watching, singles);
    for (const { watcher } of [...watching, ...singles]) {
      result.returns += watcher.returns;
      result.told += watcher.told.length;
      watcher.close();
    }
    return result;
  }

  async #check(
    watching: readonly Watching[],
    singles: readonly { id: string; watcher: LastingWatcher }[],
  ): Promise<void> {
    const from = Math.min(...watching.map(({ watcher }) => Number(watcher.from)));
    const events = await this.bed.query<EventOf>(
      `SELECT e.id, e.run_id, r.tags, e.kind FROM cairn.run_events AS e JOIN cairn.runs AS r ON r.id = e.run_id
      WHERE e.id > $1 ORDER BY e.id`,
      from,
    );
    for (const { query, isWanted, watcher } of watching) {
      const wanted = events
        .filter((event) => Number(event.id) > Number(watcher.from) && isWanted(event))
        .map(({ id }) => id);
      const end = performance.now() + 20_000;
      await until(async () => watcher.told.length >= wanted.length || performance.now() > end);
      const told = watcher.told.map(({ cursor }) => cursor);
      expect(told.length, query).toBe(wanted.length);
      expect(
        told.every((cursor, index) => cursor === wanted[index]),
        query,
      ).toBe(true);
    }
    for (const { id, watcher } of singles) {
      await until(async () => watcher.isOver);
      const kinds = events.filter(({ run_id }) => run_id === id).map(({ kind }) => kind);
      // What came too late for it, from a worker that had lost its control plane, may be noted after its end.
      const wanted = kinds.slice(0, kinds.indexOf("succeeded") + 1);
      const places = placesOf(watcher.told);
      expect(places.filter((place) => typeof place === "string")).toEqual(wanted);
      // It may have been leased and begun again in between.
      expect(
        places.filter((place) => place === 1 || place === 2 || place === "created" || place === "succeeded"),
      ).toEqual(["created", 1, 2, "succeeded"]);
      expect(misplacedIn(watcher.told)).toEqual([]);
      expect([places[0], places.at(-1)]).toEqual(["created", "succeeded"]);
    }
  }
}

it(
  "5,000 runs while 200 watch, and one of two control planes is killed: nobody misses anything",
  { timeout: 240_000 },
  async () => {
    const bed = await testBed();
    const seed = Number(process.env["CAIRN_STORM_SEED"] ?? Date.now() % 1e9);
    console.log(`CAIRN_STORM_SEED=${seed}`);
    const storm = new Storm(bed, [await openApp(bed), await openApp(bed)], randomOf(seed));
    openWorker(storm.planes[0]!.grpc, [""], { capacity: 200 });
    await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length > 0);
    const sizes: number[] = [];
    for (const pass of [1, 2]) {
      const before = performance.now();
      const { returns, told } = await storm.pass(async () => {
        // The one whose memory is not looked at.
        storm.planes[1]!.child.kill("SIGKILL");
        storm.planes[1] = await openApp(bed);
      });
      sizes.push(await rssOf(storm.planes[0]!));
      const seconds = ((performance.now() - before) / 1_000).toFixed(1);
      console.log(
        `pass ${pass}: ${told} events told, ${returns} returns, ${seconds} s, ${(sizes.at(-1)! / 1e6).toFixed(0)} MB`,
      );
      expect(returns).toBeGreaterThan(100);
    }
    expect(sizes[1]! / sizes[0]!).toBeLessThanOrEqual(1.1);
  },
);
