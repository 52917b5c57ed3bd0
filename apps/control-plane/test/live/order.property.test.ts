import fc from "fast-check";
import { expect, it } from "vitest";
import type { ControlPlane } from "../../src/index.ts";
import { EventFeed } from "../../src/live/event-feed.ts";
import { RUN_LOG } from "../../src/live/live-log.ts";
import { RunTails } from "../../src/live/run-tails.ts";
import { positionIn } from "../../src/live/tail-items.ts";
import { openPool } from "../../src/store/connection.ts";
import { openWorker } from "../support/open-worker.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { type LastingWatcher, type Told, watchLastingly } from "../support/test-live.ts";
import { misplacedIn, placesOf } from "../support/told-order.ts";
import { approved, sums, undone } from "../workflows/basics.ts";

const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("sums" as const), n: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("undone" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("approved" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("signal" as const, "pause" as const, "resume" as const, "fork" as const, "cancel" as const),
      which: fc.nat(20),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("note" as const, "break" as const), which: fc.nat(20) }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** One who is there from the beginning, and one who comes back again and again. */
interface Watched {
  readonly id: string;
  readonly type: string;
  readonly steady: LastingWatcher;
  readonly restless: LastingWatcher;
}

class Scene {
  readonly bed: TestBed;
  readonly planes: ControlPlane[] = [];
  readonly runs: Watched[] = [];
  #turn = 0;

  constructor(bed: TestBed) {
    this.bed = bed;
  }

  async open(): Promise<void> {
    const plane = await openPlane(this.bed, { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } });
    openWorker(plane.port, [""]);
    this.planes.push(plane);
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.planes[this.#turn++ % this.planes.length]!.httpPort}/v1${path}`;
  }

  async post(path: string, body: unknown = {}): Promise<string> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.url(path), { method: "POST", headers, body: JSON.stringify(body) });
    return ((await response.json()) as { id?: string }).id ?? "";
  }

  async start(type: string, payload?: unknown): Promise<void> {
    this.#watch(await this.post("/runs", { type, payload }), type);
  }

  #watch(id: string, type: string): void {
    const watcher = (): LastingWatcher => watchLastingly(() => this.url(`/runs/${id}/stream`));
    this.runs.push({ id, type, steady: watcher(), restless: watcher() });
  }

  async do(each: Act): Promise<void> {
    if (each.do === "sums") return this.start(sums.name, { n: each.n });
    if (each.do === "undone") return this.start(undone.name, "x");
    if (each.do === "approved") return this.start(approved.name);
    const run = this.runs.at(-1 - (each.which % Math.max(1, this.runs.length)));
    if (run === undefined) return;
    if (each.do === "break") return run.restless.breakOff();
    if (each.do === "note") return this.#note(run.id);
    if (each.do === "fork") return this.#fork(run);
    await this.post(`/runs/${run.id}/${each.do}`, each.do === "signal" ? { name: "approval", value: "yes" } : {});
  }

  async #fork({ id, type }: Watched): Promise<void> {
    const fork = await this.post(`/runs/${id}/fork`, { from: 1 });
    // It has not begun, or not kept its beginning.
    if (fork !== "") this.#watch(fork, type);
  }

  /** Of someone who does not hold the run, as those do who fork it. */
  async #note(id: string): Promise<void> {
    const text = `INSERT INTO cairn.run_events (run_id, kind, at, after_input)
      SELECT r.id, 'log', cairn.now(), cairn.last_input(r.id) FROM cairn.runs AS r WHERE r.id = $1 AND r.status = 'pending'`;
    await this.bed.query(text, id);
  }

  async quiet(): Promise<void> {
    for (const { id } of this.runs) {
      await this.post(`/runs/${id}/resume`);
      await this.post(`/runs/${id}/cancel`);
    }
    // Letters that came too late become events.
    const left = "SELECT FROM cairn.queue UNION ALL SELECT FROM cairn.mailbox LIMIT 1";
    await until(async () => (await this.bed.query(left)).length === 0);
    await until(async () => this.runs.every(({ steady, restless }) => steady.isOver && restless.isOver));
  }
}

/** What is told after a cursor, to the end, by pages of few rows. */
async function toldAfter(tails: RunTails, { id, type }: Watched, cursor: string | null): Promise<Told[]> {
  const source = await tails.follow(id, type, cursor === null ? null : positionIn(cursor));
  const told: Told[] = [];
  for (;;) {
    const batch = await source.next();
    if (batch.kind === "items") told.push(...batch.items.map(({ text }) => JSON.parse(text) as Told));
    else {
      expect(batch).toEqual({ kind: "end" });
      source.close();
      return told;
    }
  }
}

async function check(bed: TestBed, runs: readonly Watched[], pages: { ofRun: number; ofAll: number }): Promise<void> {
  const pool = openPool(bed.url, "test", 2);
  const options = { log: RUN_LOG, client: pool, now: () => performance.now(), warn: () => {} };
  const feed = new EventFeed({ ...options, told: (events) => tails.told(events) });
  const tails: RunTails = new RunTails(pool, () => feed, pages);
  try {
    const later = await Promise.all(runs.map((run) => toldAfter(tails, run, null)));
    for (const [index, { steady, restless }] of runs.entries()) {
      expect(misplacedIn(later[index]!)).toEqual([]);
      const places = placesOf(later[index]!);
      // What is noted after the end of a run may come after the end of its stream.
      for (const { told } of [steady, restless]) expect(placesOf(told)).toEqual(places.slice(0, told.length));
      expect(places.slice(steady.told.length).filter((place) => place !== "undelivered" && place !== "forked")).toEqual(
        [],
      );
    }
    const resumed = runs.flatMap((run, index) =>
      later[index]!.map(({ cursor }, place) => ({ run, index, cursor, place })),
    );
    const some = resumed.filter((_, index) => index % Math.ceil(resumed.length / 100) === 0);
    await Promise.all(
      some.map(async ({ run, index, cursor, place }) => {
        const rest = placesOf(await toldAfter(tails, run, cursor));
        expect(rest, cursor).toEqual(placesOf(later[index]!.slice(place + 1)));
      }),
    );
  } finally {
    tails.close();
    feed.close();
    await pool.end();
  }
}

it(
  "what is told of a run has one order, live and later, from any cursor, at any control plane",
  { timeout: 120_000 },
  async () => {
    const pages = fc.record({ ofRun: fc.integer({ min: 1, max: 5 }), ofAll: fc.integer({ min: 1, max: 20 }) });
    const acts = fc.array(act, { minLength: 40, maxLength: 60 });
    const property = fc.asyncProperty(acts, pages, async (all, few) => {
      const scene = new Scene(await testBed());
      await Promise.all([scene.open(), scene.open()]);
      await until(async () => (await scene.bed.query("SELECT FROM cairn.worker_status")).length > 1);
      for (const each of all) await scene.do(each);
      await scene.quiet();
      await check(scene.bed, scene.runs, few);
      await Promise.all(scene.planes.map((plane) => plane.close()));
    });
    await fc.assert(property, { numRuns: Number(process.env["CAIRN_LIVE_RUNS"] ?? 1), endOnFailure: true });
  },
);
