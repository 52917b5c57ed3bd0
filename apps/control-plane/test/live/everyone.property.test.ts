import fc from "fast-check";
import pg from "pg";
import { expect, it } from "vitest";
import type { ControlPlane } from "../../src/index.ts";
import { openConnection } from "../../src/store/connection.ts";
import { beginRewrite, copyPage, finishRewrite, listWeeks } from "../../src/store/weeks.ts";
import { openWorker } from "../support/open-worker.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { type LastingWatcher, type Told, watchLastingly } from "../support/test-live.ts";
import { approved, sums, undone } from "../workflows/basics.ts";

/** What users do. */
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("start" as const), n: fc.nat(3), tag: fc.constantFrom("a", "b") }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fail" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("wait" as const, "signal" as const, "cancel" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("pause" as const, "resume" as const, "delete" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("sql" as const), holdMs: fc.nat(60), isKept: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("break" as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("rewrite" as const, "replace" as const) }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

interface Filter {
  readonly query: string;
  readonly isWanted: (event: EventOf) => boolean;
}

const FILTERS: readonly Filter[] = [
  { query: "", isWanted: () => true },
  { query: "?type=test.s*", isWanted: ({ type }) => type === sums.name },
  { query: "?tag=b", isWanted: ({ tags }) => tags.includes("b") },
  {
    query: "?kind=created,succeeded,failed,cancelled",
    isWanted: ({ kind }) => /^(created|succeeded|failed|cancelled)$/.test(kind),
  },
  { query: "?namespace=other", isWanted: () => false },
];

interface EventOf {
  readonly id: string;
  readonly run_id: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly kind: string;
}

/** Two control planes, of which one is replaced now and then. */
class Scene {
  readonly bed: TestBed;
  readonly planes: ControlPlane[] = [];
  readonly waiting: string[] = [];
  readonly #rest: Promise<unknown>[] = [];
  #turn = 0;

  constructor(bed: TestBed) {
    this.bed = bed;
  }

  async open(index: number): Promise<void> {
    this.planes[index] = await openPlane(this.bed, { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } });
    openWorker(this.planes[index].port, [""]);
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.planes[this.#turn++ % this.planes.length]!.httpPort}/v1${path}`;
  }

  async post(path: string, body: unknown = {}): Promise<{ status: number; id: string }> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.url(path), { method: "POST", headers, body: JSON.stringify(body) }).catch(
      () => null,
    );
    const { id = "" } = response === null ? {} : ((await response.json()) as { id?: string });
    return { status: response?.status ?? 0, id };
  }

  async do(each: Act, watchers: readonly LastingWatcher[]): Promise<void> {
    switch (each.do) {
      case "start":
        await this.post("/runs", { type: sums.name, payload: { n: each.n }, tags: [each.tag] });
        return;
      case "fail":
        await this.post("/runs", { type: undone.name, payload: "x" });
        return;
      case "wait":
        this.waiting.push((await this.post("/runs", { type: approved.name })).id);
        return;
      case "signal":
        await this.post(`/runs/${this.waiting.at(-1)}/signal`, { name: "approval", value: "yes" });
        return;
      case "cancel":
      case "pause":
      case "resume":
        await this.post(`/runs/${this.waiting.at(-1)}/${each.do}`);
        return;
      case "delete":
        await fetch(this.url(`/runs/${this.waiting.at(-1)}`), { method: "DELETE" }).catch(() => {});
        return;
      case "sql":
        this.#rest.push(this.#transact(each.holdMs, each.isKept));
        return;
      case "break":
        watchers[each.which % watchers.length]!.breakOff();
        return;
      case "rewrite":
        return this.#rewrite();
      case "replace":
        await this.planes[1]!.close();
        return this.open(1);
    }
  }

  /** A transaction of a user, whose events show after those of others that were written later. */
  async #transact(holdMs: number, isKept: boolean): Promise<void> {
    const client = new pg.Client({ connectionString: this.bed.url });
    await client.connect();
    await client.query("BEGIN");
    await client.query("SELECT cairn.start_run($1, $2)", [sums.name, '{"n":1}']);
    await client.query("SELECT pg_sleep($1::float8 / 1000)", [holdMs]);
    await client.query(isKept ? "COMMIT" : "ROLLBACK");
    await client.end();
  }

  /** As retention does it, but that all stay. */
  async #rewrite(): Promise<void> {
    const client = await openConnection(this.bed.url, "test");
    try {
      for (const week of (await listWeeks(client)).filter(({ hasRuns }) => hasRuns)) {
        const token = `t${this.#turn++}`;
        await beginRewrite(client, "run_events", week, token);
        for (let after: string | null = week.after; after !== null;) {
          after = await copyPage(client, "run_events", week, { token, after, limit: 100 }, []);
        }
        await finishRewrite(client, "run_events", week, token);
      }
    } catch (error) {
      // Someone stood in the way for a moment: as retention, it leaves it for now.
      if ((error as { code?: string }).code !== "55P03") throw error;
    } finally {
      await client.end();
    }
  }

  async quiet(): Promise<EventOf[]> {
    await Promise.all(this.#rest);
    for (const id of this.waiting) await this.post(`/runs/${id}/cancel`);
    await until(async () => {
      const [left] = await this.bed.query<{ count: string }>(
        "SELECT count(*) FROM cairn.queue WHERE phase <> 'paused'",
      );
      return left!.count === "0";
    });
    return this.bed.query<EventOf>(
      `SELECT e.id, e.run_id, r.type, r.tags, e.kind FROM cairn.run_events AS e JOIN cairn.runs AS r ON r.id = e.run_id ORDER BY e.id`,
    );
  }
}

/** Or not: what is compared then says more than a test that takes too long. */
async function soon(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  await until(async () => isSo() || performance.now() > end);
}

const idsOf = (told: readonly Told[]): string[] => told.map(({ cursor }) => cursor);

it("whatever happens, everyone who watches is told each event once, in order", { timeout: 120_000 }, async () => {
  let returns = 0;
  const property = fc.asyncProperty(fc.array(act, { minLength: 40, maxLength: 60 }), async (acts) => {
    const scene = new Scene(await testBed());
    await Promise.all([scene.open(0), scene.open(1)]);
    await until(async () => (await scene.bed.query("SELECT FROM cairn.worker_status")).length > 1);
    const watchers = FILTERS.flatMap((filter) => [filter, filter]).map((filter) => ({
      filter,
      watcher: watchLastingly(() => scene.url(`/events/stream${filter.query}`)),
    }));
    const all = watchers.map(({ watcher }) => watcher);
    await until(async () => all.every(({ from }) => from !== null));
    const single = new Map<string, LastingWatcher>();
    for (const [index, each] of acts.entries()) {
      if (index === acts.length >> 1) for (const watcher of all) watcher.breakOff();
      await scene.do(each, [...all, ...single.values()]);
      const id = scene.waiting.at(-1);
      if (id !== undefined && id !== "" && !single.has(id)) {
        single.set(
          id,
          watchLastingly(() => scene.url(`/runs/${id}/stream`)),
        );
      }
    }
    const events = await scene.quiet();
    for (const { filter, watcher } of watchers) {
      const wanted = events.filter((event) => Number(event.id) > Number(watcher.from) && filter.isWanted(event));
      await soon(() => watcher.told.length >= wanted.length);
      expect(idsOf(watcher.told), filter.query).toEqual(wanted.map(({ id }) => id));
    }
    for (const [id, watcher] of single) {
      const wanted = events.filter(({ run_id }) => run_id === id).map(({ kind }) => kind);
      const numbers = (
        await scene.bed.query<{ number: number }>(
          "SELECT number FROM cairn.history WHERE run_id = $1 ORDER BY number",
          id,
        )
      ).map(({ number }) => number);
      await soon(() => watcher.told.length >= wanted.length + numbers.length);
      const [steps, others] = [true, false].map((isStep) =>
        watcher.told.filter(({ kind }) => (kind === "step") === isStep),
      );
      // What is noted after the end of a run, such as mail that came too late or that it was deleted, may come after the end of its stream.
      const end = wanted.findIndex((kind) => /^(succeeded|failed|cancelled|deleted)$/.test(kind));
      const upTo = end === -1 ? wanted.length : end + 1;
      expect(others!.slice(0, upTo).map(({ kind }) => kind)).toEqual(wanted.slice(0, upTo));
      expect(others!.length).toBeLessThanOrEqual(wanted.length);
      expect(steps!.map(({ data }) => (data as { number: number }).number)).toEqual(numbers);
    }
    for (const watcher of [...all, ...single.values()]) {
      returns += watcher.returns;
      watcher.close();
    }
    await Promise.all(scene.planes.map((plane) => plane.close()));
  });
  await fc.assert(property, { numRuns: Number(process.env["CAIRN_LIVE_RUNS"] ?? 1), endOnFailure: true });
  expect(returns).toBeGreaterThanOrEqual(FILTERS.length);
});
