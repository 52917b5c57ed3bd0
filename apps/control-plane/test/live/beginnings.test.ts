import pg from "pg";
import { describe, expect, it } from "vitest";
import { EventFeed } from "../../src/live/event-feed.ts";
import { RUN_LOG } from "../../src/live/live-log.ts";
import { openPool } from "../../src/store/connection.ts";
import { removeRuns } from "../../src/store/remove-runs.ts";
import { listWeeks } from "../../src/store/weeks.ts";
import { cleanUp } from "../support/cleanups.ts";
import { scrape } from "../support/scrape.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { watch, type Watcher, watchLastingly } from "../support/test-live.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

const DAY_MS = 86_400_000;
const WRITE = "INSERT INTO cairn.run_events (run_id, kind, at) VALUES ($1, 'log', cairn.now())";

function address(rest: RestBed, path: string): string {
  return `http://127.0.0.1:${rest.plane.httpPort}/v1${path}`;
}

/** A transaction that has written something, and is open. */
async function held(bed: TestBed, text: string, values: readonly unknown[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: bed.url });
  await client.connect();
  cleanUp(() => client.end());
  await client.query("BEGIN");
  await client.query(text, [...values]);
  return client;
}

describe("who begins to watch while a transaction that writes events is open for long", () => {
  it("is told what it wrote, of one run and of all", { timeout: 20_000 }, async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    await until(async () => (await rest.bed.query("SELECT FROM cairn.queue WHERE phase = 'waiting'")).length > 0);
    // As long as it takes until that is known.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const writer = await held(rest.bed, "SELECT cairn.delete_run($1, 'by sql')", [id]);
    const other = await rest.start(sums.name, { n: 1 });
    await rest.result(other);
    const [all, one] = await Promise.all([
      watch(address(rest, "/events/stream")),
      watch(address(rest, `/runs/${id}/stream`)),
    ]);
    expect([all.status, one.status]).toEqual([200, 200]);
    await writer.query("COMMIT");
    await one.until(({ data }) => data["kind"] === "deleted");
    await one.ended;
    expect(one.said.at(-1)).toMatchObject({ event: "end" });
    await all.until(({ data }) => data["kind"] === "deleted" && data["runId"] === id);
    await all.until(({ data }) => data["kind"] === "succeeded" && data["runId"] === other);
    const ids = all.said.map((said) => Number(said.id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it("is refused after a while if it was open before this process was", async () => {
    const bed = await testBed();
    const run = "01a1e132-de58-71fb-8068-ee4ac1b759f6";
    const writer = await held(bed, WRITE, [run]);
    const pool = openPool(bed.url, "test", 2);
    cleanUp(() => pool.end());
    const feed = new EventFeed({
      log: RUN_LOG,
      client: pool,
      now: () => performance.now(),
      warn: () => {},
      told: () => {},
      beginMs: 50,
      beginMsMax: 200,
    });
    cleanUp(async () => feed.close());
    feed.open();
    await expect(feed.follow({ namespace: "default" }, null)).rejects.toMatchObject({ code: "Unavailable" });
    await writer.query("COMMIT");
    const source = await until(() => feed.follow({ namespace: "default" }, null).catch(() => undefined));
    expect(source.cursor).toBe("1");
    source.close();
  });
});

it("whoever asks for the head of a stream is no one who watches", async () => {
  const rest = await openRest();
  const id = await rest.start(approved.name);
  for (const path of [`/runs/${id}/stream`, `/runs/${id}/chunks`, "/events/stream"]) {
    expect((await fetch(address(rest, path), { method: "HEAD" })).status, path).toBe(405);
  }
  const seen = await scrape(rest.plane.httpPort);
  for (const kind of ["run", "chunks", "events"]) expect(seen.get(`cairn_live_clients{kind="${kind}"}`), kind).toBe(0);
});

it("no step of a run is told before the event by which it was created", async () => {
  const rest = await openRest();
  const before = await held(rest.bed, WRITE, ["01a1e132-de58-71fb-8068-ee4ac1b759f6"]);
  const id = await rest.start(sums.name, { n: 1 });
  await rest.result(id);
  const watcher = watchLastingly(() => address(rest, `/runs/${id}/stream`));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await before.query("COMMIT");
  await until(async () => watcher.isOver);
  expect(watcher.told[0]).toMatchObject({ kind: "created" });
});

it("who comes back from before what is kept is told that something is gone", async () => {
  const rest = await openRest();
  const [old, kept] = [await rest.start(sums.name, { n: 1 }), await rest.start(sums.name, { n: 1 })];
  await Promise.all([rest.result(old), rest.result(kept)]);
  const pool = openPool(rest.bed.url, "test", 1);
  cleanUp(() => pool.end());
  const after = async (cursor: string): Promise<Watcher> => watch(address(rest, `/events/stream?after=${cursor}`));
  const before = await after("1");
  await before.until(({ data }) => data["kind"] === "succeeded" && data["runId"] === kept);
  const week = (await listWeeks(pool)).find(({ hasRuns }) => hasRuns);
  const removal = { week: week!.at, ids: [old], endedBefore: Date.now() + 1e6, deletedBefore: null, withHistory: true };
  expect(await removeRuns(pool, removal)).toBe(1);
  const lost = await after("1");
  await lost.ended;
  expect(lost.said).toMatchObject([{ event: "dropped", id: "", data: { reason: "expired" } }]);
  const all = await after("0");
  await all.until(({ data }) => data["kind"] === "succeeded");
  expect(new Set(all.said.map(({ data }) => data["runId"]))).toEqual(new Set([kept]));
});

it("whoever comes back to a control plane that ends is told to come later, and nothing of its inside", async () => {
  const rest = await openRest();
  const id = await rest.start(approved.name);
  const over = new Set<string>();
  const enough = new AbortController();
  const asking = (path: string) => async (): Promise<void> => {
    while (!enough.signal.aborted) {
      const response = await fetch(address(rest, path), {
        headers: { "last-event-id": path.includes(id) ? "1-0" : "1" },
      }).catch(() => null);
      if (response === null) continue;
      over.add(`${response.status}`);
      await response.text().catch(() => "");
    }
  };
  const clients = [`/runs/${id}/stream`, "/events/stream", `/runs/${id}`].map((path) => asking(path)());
  await until(async () => over.has("200"));
  await rest.plane.close();
  enough.abort();
  await Promise.all(clients);
  expect([...over].filter((status) => !["200", "503"].includes(status))).toEqual([]);
});

it("who comes back to a run of which events are gone is told so, and nobody else is", async () => {
  const rest = await openRest();
  const [old, late, lives] = [
    await rest.start(sums.name, { n: 1 }),
    await rest.start(approved.name),
    await rest.start(approved.name),
  ];
  await rest.result(old);
  const again = (id: string, cursor: string): Promise<Watcher> =>
    watch(address(rest, `/runs/${id}/stream?after=${cursor}`));
  const cursors = new Map<string, string>();
  for (const id of [old, late, lives]) {
    const watcher = await watch(address(rest, `/runs/${id}/stream`));
    cursors.set(id, (await watcher.until(({ data }) => data["kind"] === "started")).id!);
    watcher.close();
  }
  await rest.bed.advance(35 * DAY_MS);
  for (const value of ["one", "two"]) await rest.ask("POST", `/runs/${late}/signal`, { name: "approval", value });
  await rest.result(late);
  const seen = await again(late, "0-0");
  const recent = (await seen.until(({ data }) => data["kind"] === "signalled")).id!;
  await rest.bed.advance(4 * DAY_MS);
  await (await rest.bed.open()).retention.run();
  expect(await rest.bed.query("SELECT FROM cairn.run_events WHERE run_id = $1", old)).toEqual([]);
  for (const id of [old, late]) {
    const lost = await again(id, cursors.get(id)!);
    await lost.ended;
    expect(lost.said).toMatchObject([{ event: "dropped", id: "", data: { reason: "expired" } }]);
  }
  // Those of a run that lives stay, and who has seen one that is kept has missed nothing.
  const goesOn = await again(late, recent);
  await goesOn.ended;
  expect(goesOn.said.at(-1)).toMatchObject({ event: "end" });
  const stays = await again(lives, cursors.get(lives)!);
  await rest.ask("POST", `/runs/${lives}/cancel`);
  await stays.ended;
  expect(stays.said.at(-1)).toMatchObject({ event: "end" });
  const whatIsKept = await watch(address(rest, `/runs/${old}/stream`));
  await whatIsKept.ended;
  expect(whatIsKept.said.map(({ event }) => event)).toEqual(["message", "message", "end"]);
});
