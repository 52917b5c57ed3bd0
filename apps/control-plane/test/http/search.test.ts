import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved, guardian, sums } from "../workflows/basics.ts";

const HOUR_MS = 60 * 60 * 1_000;

interface Row {
  readonly id: string;
  readonly type: string;
  readonly status: "succeeded" | "failed" | "cancelled" | "pending";
  readonly tags: readonly string[];
  readonly payload: unknown;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly deleted: boolean;
  readonly namespace: string;
}

/** All items, page by page; the pages are as large as they may be, or smaller. */
async function all(rest: RestBed, query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  for (;;) {
    const { status, body } = await rest.ask("GET", `/runs?${query}&limit=${limit}${cursor}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const items = body["items"] as { id: string }[];
    expect(items.length).toBeLessThanOrEqual(limit);
    ids.push(...items.map(({ id }) => id));
    if (body["next"] === null) return ids;
    cursor = `&cursor=${encodeURIComponent(body["next"] as string)}`;
  }
}

const contains = (value: unknown, wanted: unknown): boolean => {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(wanted).every(([key, part]) => contains((value as Record<string, unknown>)[key], part));
};

describe("runs are found", () => {
  it("by everything that can be asked for, in both orders, in pages of any size", { timeout: 120_000 }, async () => {
    const rest = await openRest();
    const now = Date.now();
    const types = ["search.a.v1", "search.b.v1", "other.c.v1"];
    const rows = fc.sample(
      fc.record({
        type: fc.constantFrom(...types),
        status: fc.constantFrom("succeeded", "failed", "cancelled", "pending"),
        tags: fc.subarray(["red", "green", "blue"]),
        payload: fc.record({
          n: fc.integer({ min: 0, max: 3 }),
          text: fc.constantFrom("Ärger", '50 % "off"', "\u0000", "x"),
        }),
        deleted: fc.boolean(),
        isMine: fc.boolean(),
        // Of an id that its caller made.
        skew: fc.oneof(fc.constantFrom(0, -24 * HOUR_MS, HOUR_MS), fc.integer({ min: -24 * HOUR_MS, max: HOUR_MS })),
      }),
      { numRuns: 150, seed: 7 },
    );
    const stored: Row[] = rows.map(({ isMine, skew, ...row }, index) => ({
      ...row,
      id: newRunId(now - index * 60_000 + skew),
      createdAt: now - index * 60_000,
      lastError: row.status === "failed" ? `RangeError: number ${index}` : null,
      deleted: row.deleted && index % 3 === 0,
      namespace: isMine || index % 2 === 0 ? "default" : "other",
    }));
    for (const row of stored) {
      const ended = row.status === "pending" ? null : new Date(row.createdAt);
      await rest.bed.query(
        `INSERT INTO cairn.runs (id, namespace, type, version, status, payload, last_error, tags, run_at, created_at, ended_at, deleted_at)
        VALUES ($1, $2, $3, 'v', $4, $5, $6, $7, $8, $8, $9, $10)`,
        row.id,
        row.namespace,
        row.type,
        row.status,
        JSON.stringify(row.payload),
        row.lastError,
        row.tags,
        new Date(row.createdAt),
        ended,
        row.deleted ? new Date(now) : null,
      );
      if (row.status === "pending" && !row.deleted) {
        await rest.bed.query(
          `INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase, paused)
          VALUES ($1, $2 || ':x', 0, 'parked', cairn.now(), 'paused', true)`,
          row.id,
          row.namespace,
        );
      }
    }
    const conditions = fc.record(
      {
        type: fc.subarray([...types, "search.*", "none.v1", "*"], { minLength: 1 }),
        status: fc.subarray(["succeeded", "failed", "cancelled", "pending", "leased"], { minLength: 1 }),
        phase: fc.constantFrom("paused", "waiting"),
        tag: fc.subarray(["red", "green", "blue"], { minLength: 1 }),
        since: fc.integer({ min: 0, max: 150 }),
        until: fc.integer({ min: 0, max: 150 }),
        contains: fc.constantFrom({ n: 2 }, { text: "x" }, {}, { n: 1, text: "Ärger" }, 7),
        search: fc.constantFrom("ÄRGER", '"OFF"', "50 %", "rangeerror: number 1", "\\u0000", "nothing"),
        deleted: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const isWanted = (row: Row, wanted: fc.Value<typeof conditions> | Record<string, never>): boolean => {
      const c = wanted as Record<string, never> & Partial<Record<string, unknown>>;
      const isType = (pattern: string): boolean =>
        pattern.endsWith("*") ? row.type.startsWith(pattern.slice(0, -1)) : row.type === pattern;
      const text = JSON.stringify(row.payload).toLowerCase();
      const lives = row.status === "pending" && !row.deleted;
      const hasNul = JSON.stringify(row.payload).includes("\\u0000");
      const searched = c["search"] as string | undefined;
      return (
        row.namespace === "default" &&
        row.deleted === (c["deleted"] ?? false) &&
        (c["type"] === undefined || (c["type"] as string[]).some(isType)) &&
        (c["status"] === undefined || (c["status"] as string[]).includes(row.status)) &&
        (c["phase"] === undefined || (lives && c["phase"] === "paused")) &&
        (c["tag"] === undefined || (c["tag"] as string[]).every((tag) => row.tags.includes(tag))) &&
        (c["since"] === undefined || row.createdAt >= now - (c["since"] as number) * 60_000) &&
        (c["until"] === undefined || row.createdAt < now - (c["until"] as number) * 60_000) &&
        (c["contains"] === undefined || (!hasNul && contains(row.payload, c["contains"]))) &&
        (searched === undefined ||
          text.includes(JSON.stringify(searched.toLowerCase()).slice(1, -1)) ||
          (row.lastError ?? "").toLowerCase().includes(searched.toLowerCase()))
      );
    };
    await fc.assert(
      fc.asyncProperty(
        conditions,
        fc.boolean(),
        fc.integer({ min: 1, max: 60 }),
        async (wanted, oldestFirst, limit) => {
          const query = new URLSearchParams();
          for (const [name, value] of Object.entries(wanted)) {
            if (name === "since" || name === "until")
              query.append(name, new Date(now - (value as number) * 60_000).toISOString());
            else if (name === "status") query.append(name, (value as string[]).join(","));
            else if (name === "contains") query.append(name, JSON.stringify(value));
            else for (const each of [value].flat()) query.append(name, String(each));
          }
          query.append("sort", oldestFirst ? "createdAt" : "-createdAt");
          const expected = stored.filter((row) => isWanted(row, wanted as never)).map(({ id }) => id);
          const sorted = expected.toSorted();
          expect(await all(rest, query.toString(), limit)).toEqual(oldestFirst ? sorted : sorted.toReversed());
        },
      ),
      { numRuns: 150 },
    );
    expect(rest.warnings).toEqual([]);
  });

  it("by the run that waits for them, and by their schedule; a cursor belongs to an order", async () => {
    const rest = await openRest();
    const parent = await rest.start(guardian.name);
    const [child] = await (async () => {
      for (;;) {
        const found = await all(rest, `parent=${parent}`, 10);
        if (found.length > 0) return found;
      }
    })();
    expect((await rest.ask("GET", `/runs/${child}`)).body).toMatchObject({ type: approved.name, parent });
    await rest.ask("PUT", `/schedules/${sums.name}/nightly`, { everyMs: 1e9, payload: { n: 1 } });
    const { body } = await rest.ask("POST", `/schedules/${sums.name}/nightly/trigger`);
    expect(await all(rest, "schedule=nightly", 10)).toEqual([body["id"]]);
    const first = await rest.ask("GET", "/runs?limit=1&sort=createdAt");
    expect(first.body["items"]).toMatchObject([{ id: parent }]);
    const cursor = encodeURIComponent(first.body["next"] as string);
    expect((await rest.ask("GET", `/runs?limit=1&sort=createdAt&cursor=${cursor}`)).body["items"]).toHaveLength(1);
    for (const query of [`cursor=${cursor}`, `cursor=${cursor}&sort=-createdAt`, `cursor=${child}&sort=createdAt`]) {
      expect(await rest.ask("GET", `/runs?limit=1&${query}`)).toMatchObject({
        status: 400,
        body: { code: "InvalidMessage" },
      });
    }
    await rest.result(String(body["id"]));
    for (const query of ["status=pending,succeeded", "status=pending&status=succeeded"])
      expect(await all(rest, query, 10), query).toEqual(await all(rest, "status=succeeded,pending", 10));
    const both = await all(rest, `type=${approved.name}&type=${sums.name}`, 10);
    expect(both.length).toBeGreaterThan(1);
    expect(await all(rest, `type=${approved.name},${sums.name}`, 10)).toEqual(both);
    const cases = [
      "sort=type",
      "type=a,,b",
      "status=pending&status=gone",
      "contains=1e400",
      `contains=${encodeURIComponent('{"n":[-1e999]}')}`,
      "contains={",
      "contains=%22%5Cu0000%22",
      `contains=${"[".repeat(60)}${"]".repeat(60)}`,
      "type=a*b",
      "search=",
      "parent=x",
      "deleted=1",
    ];
    for (const query of cases) expect(await rest.ask("GET", `/runs?${query}`), query).toMatchObject({ status: 400 });
  });

  it(
    "also among many that are not wanted: an answer is bounded, and says where to go on",
    { timeout: 60_000 },
    async () => {
      const rest = await openRest();
      await rest.bed.query(
        `INSERT INTO cairn.runs (id, namespace, type, version, status, payload, run_at, created_at, ended_at, tags)
      SELECT cairn.id_from_time(cairn.now() - interval '5 h' + n * interval '10 ms'), 'default', 'many.v1', 'v', 'succeeded',
        json_build_object('n', n, 'text', 'number ' || n || '.'), cairn.now(), cairn.now() - interval '5 h', cairn.now(), CASE WHEN n = 1 THEN ARRAY['rare'] ELSE '{}' END
      FROM generate_series(1, 25000) AS n`,
      );
      await rest.bed.query("ANALYZE cairn.runs");
      for (const [query, count] of [
        ["since=1970-01-01T00:00:00Z", 5],
        ["since=0001-01-01T00:00:00Z&until=9999-12-31T00:00:00Z", 5],
        ["until=0001-01-01T00:00:00Z", 0],
        ["until=1970-01-01T00:00:00Z", 0],
        ["since=9999-12-31T00:00:00Z", 0],
      ] as const) {
        expect((await rest.ask("GET", `/runs?limit=5&${query}`)).body["items"], query).toHaveLength(count);
      }
      const first = await rest.ask("GET", "/runs?tag=rare");
      expect(first.body).toMatchObject({ items: [], next: expect.any(String) });
      for (const query of ["tag=rare", `contains=${encodeURIComponent('{"n":1}')}`, "search=NUMBER%201."]) {
        expect(await all(rest, query, 50), query).toHaveLength(1);
      }
      const began = performance.now();
      await rest.ask("GET", `/runs?contains=${encodeURIComponent('{"n":1}')}`);
      expect(performance.now() - began).toBeLessThan(2_000);
    },
  );
});
