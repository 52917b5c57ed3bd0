import { describe, expect, it } from "vitest";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

const later = { runAt: "2126-01-01T00:00:00Z" };

/** Runs that wait for their time, the newest last as orders see it: those of one millisecond are by chance. */
async function waiting(rest: RestBed, count: number, tag = "bulk"): Promise<string[]> {
  const runs = Array.from({ length: count }, () => ({ type: approved.name, tags: [tag], ...later }));
  const { body } = await rest.ask("POST", "/runs/batch", { runs });
  return (body["items"] as { id: string }[]).map(({ id }) => id).toSorted();
}

async function cancelledOf(rest: RestBed): Promise<string[]> {
  const rows = await rest.bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE status = 'cancelled' ORDER BY id");
  return rows.map(({ id }) => id);
}

describe("an order for many runs, repeated under its Idempotency-Key", () => {
  const order = { action: "cancel", filter: { tag: "bulk", status: ["pending"] }, limit: 5 };

  it("is for the runs that it was for, and answers as it did", async () => {
    const rest = await openRest();
    await waiting(rest, 20);
    const bulk = (body: object, key: string) => rest.ask("POST", "/runs/bulk", body, { "idempotency-key": key });
    const first = await bulk(order, "one");
    expect(first).toMatchObject({ status: 200, body: { matched: 5, done: 5, next: expect.any(String) } });
    const both = await Promise.all([bulk(order, "one"), bulk(order, "one")]);
    expect(both.map(({ body }) => body)).toEqual([first.body, first.body]);
    expect(await cancelledOf(rest)).toHaveLength(5);
    // The pages of an order are of it.
    const second = { ...order, cursor: first.body["next"] };
    expect((await bulk(second, "one")).body).toMatchObject({ done: 5 });
    expect((await bulk(second, "one")).body).toMatchObject({ done: 5 });
    expect(await cancelledOf(rest)).toHaveLength(10);
    for (const other of [
      { ...order, limit: 6 },
      { ...order, action: "pause" },
      { ...order, reason: "x" },
    ])
      expect(await bulk(other, "one")).toMatchObject({ status: 409, body: { code: "IdempotencyConflict" } });
    expect((await bulk({ ...order, limit: 6 }, "two")).body).toMatchObject({ done: 6 });
    expect(rest.warnings).toEqual([]);
  });

  it("is not another one, wherever that one begins", async () => {
    const rest = await openRest();
    await waiting(rest, 6);
    const bulk = (body: object) => rest.ask("POST", "/runs/bulk", body, { "idempotency-key": "one" });
    const pause = { ...order, action: "pause", limit: 2 };
    const { body } = await bulk(pause);
    const cursor = body["next"];
    expect(cursor).toEqual(expect.any(String));
    for (const other of [{ action: "delete" }, { limit: 3 }, { filter: { tag: "bulk" } }])
      expect(await bulk({ ...pause, ...other, cursor })).toMatchObject({
        status: 409,
        body: { code: "IdempotencyConflict" },
      });
    expect((await rest.ask("GET", "/runs?deleted=true")).body["items"]).toEqual([]);
    expect((await bulk({ ...pause, cursor })).body).toMatchObject({ done: 2 });
    // Under another key it may begin anywhere.
    const free = await rest.ask("POST", "/runs/bulk", { ...pause, cursor }, { "idempotency-key": "two" });
    expect(free.body).toMatchObject({ done: 2 });
    expect(rest.warnings).toEqual([]);
  });

  it("is one order when it is asked for twice at one time", async () => {
    const rest = await openRest();
    await waiting(rest, 20);
    const ask = () => rest.ask("POST", "/runs/bulk", order, { "idempotency-key": "one" });
    const [first, ...others] = (await Promise.all([ask(), ask(), ask(), ask()])).map(({ body }) => body);
    expect(first).toMatchObject({ matched: 5, done: 5 });
    expect(others).toEqual([first, first, first]);
    expect(await cancelledOf(rest)).toHaveLength(5);
  });

  it("is done whole when the first was cut off after its runs were chosen", async () => {
    const rest = await openRest();
    const ids = await waiting(rest, 20);
    await rest.bed.query(`CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'The connection was lost'; END $$`);
    // With the third, two are done.
    await rest.bed.query(`CREATE TRIGGER cut_off BEFORE UPDATE ON cairn.runs FOR EACH ROW WHEN (OLD.id = '${ids[17]!}')
      EXECUTE FUNCTION cut_off()`);
    const ask = () => rest.ask("POST", "/runs/bulk", order, { "idempotency-key": "one" });
    expect((await ask()).status).toBe(500);
    await rest.bed.query("DROP TRIGGER cut_off ON cairn.runs");
    await waiting(rest, 5);
    expect((await ask()).body).toMatchObject({ matched: 5, done: 5, refused: [] });
    expect(await cancelledOf(rest)).toEqual(ids.slice(15));
  });
});

describe("a cancel of many", () => {
  it("is done for runs that are cancelled already, as that of one is, and refused by those that ended otherwise", async () => {
    const rest = await openRest();
    const ids = await waiting(rest, 2);
    const ended = await rest.start(sums.name, { n: 1 }, { tags: ["bulk"] });
    await rest.result(ended);
    await rest.ask("POST", `/runs/${ids[0]!}/cancel`);
    const order = { action: "cancel", filter: { tag: "bulk" } };
    const refused = [{ code: "RunEnded", count: 1, ids: [ended] }];
    for (const dryRun of [true, false, true, false])
      expect(await rest.ask("POST", "/runs/bulk", { ...order, dryRun })).toMatchObject({
        body: { matched: 3, done: 2, refused },
      });
    expect(await rest.ask("POST", `/runs/${ids[1]!}/cancel`)).toMatchObject({ status: 202 });
    await rest.ask("DELETE", `/runs/${ids[0]!}`);
    for (const dryRun of [true, false])
      expect(
        await rest.ask("POST", "/runs/bulk", { action: "cancel", filter: { tag: "bulk", deleted: true }, dryRun }),
      ).toMatchObject({ body: { matched: 1, done: 0, refused: [{ code: "RunDeleted" }] } });
    expect(rest.warnings).toEqual([]);
  });
});

describe("a dry run", () => {
  it("shows the first of those that it counts, however many others are before them", async () => {
    const rest = await openRest();
    const ids = await waiting(rest, 12, "wanted");
    // More than one look goes through.
    await rest.bed.query(
      `INSERT INTO cairn.runs SELECT (jsonb_populate_record(r, jsonb_build_object('tags', '{}'::text[],
        'id', substr(r.id::text, 1, 9) || 'ffff-7fff-bfff-' || lpad(to_hex(n), 12, '0')))).*
      FROM cairn.runs AS r, generate_series(1, 11000) AS n WHERE r.id = $1`,
      ids.at(-1)!,
    );
    const { body } = await rest.ask("POST", "/runs/bulk", { action: "pause", filter: { tag: "wanted" }, dryRun: true });
    expect(body).toMatchObject({ matched: 12, next: null });
    expect((body["sample"] as { id: string }[]).map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 10));
  });

  it("says what would be done, and refused, as the order itself does", { timeout: 60_000 }, async () => {
    const rest = await openRest();
    await waiting(rest, 3);
    const ended = await rest.start(sums.name, { n: 1 }, { tags: ["bulk"] });
    await rest.result(ended);
    const filter = { tag: "bulk" };
    for (const action of ["pause", "resume", "retry", "signal", "cancel", "cancel", "delete", "restore", "restore"]) {
      const order = { action, filter, ...(action === "signal" ? { name: "approval" } : {}) };
      const dry = await rest.ask("POST", "/runs/bulk", { ...order, dryRun: true });
      const { body } = await rest.ask("POST", "/runs/bulk", order);
      expect({ ...dry.body, sample: [] }, action).toEqual(body);
    }
    expect(rest.warnings).toEqual([]);
  });
});

describe("a filter that says nothing", () => {
  it("is refused, also if it says that it is not for deleted ones, or for payloads with nothing in them; a restore is for none but these", async () => {
    const rest = await openRest();
    await waiting(rest, 1);
    const wrong: [object, string][] = [
      [{ action: "cancel", filter: { deleted: false } }, "must say which runs are meant"],
      [{ action: "cancel", filter: { contains: {} } }, "must say which runs are meant"],
      [{ action: "cancel", filter: { contains: [], deleted: false } }, "must say which runs are meant"],
      [{ action: "restore", filter: { deleted: false, tag: "bulk" } }, "deleted: a restore is for runs that were"],
    ];
    for (const [body, says] of wrong) {
      for (const dryRun of [true, false])
        expect(await rest.ask("POST", "/runs/bulk", { ...body, dryRun })).toMatchObject({
          status: 400,
          body: { code: "InvalidMessage", detail: expect.stringContaining(says) },
        });
    }
    for (const contains of [{ a: {} }, [{}], null, ""])
      expect((await rest.ask("POST", "/runs/bulk", { action: "cancel", filter: { contains } })).body).toMatchObject({
        matched: 0,
      });
    expect(
      await rest.ask("POST", "/runs/bulk", { action: "delete", filter: { deleted: false, tag: "bulk" } }),
    ).toMatchObject({ body: { done: 1 } });
    expect(await rest.ask("POST", "/runs/bulk", { action: "restore", filter: { deleted: true } })).toMatchObject({
      body: { done: 1 },
    });
  });
});
