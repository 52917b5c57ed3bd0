import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RUN_EVENTS } from "@cairnjs/schemas";
import { describe, expect, it } from "vitest";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { declareElsewhere } from "../support/test-jobs.ts";
import { QUICK } from "../support/test-outbox.ts";
import { testSubscriber } from "../support/test-subscriber.ts";
import { announce, declined, eventful, persistent } from "../workflows/telling.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

async function kindsOf(bed: TestBed, ...runs: { readonly id: string }[]): Promise<string[]> {
  const ids = runs.map(({ id }) => id);
  const rows = await bed.query<{ kind: string }>(
    "SELECT kind FROM cairn.run_events WHERE $1::uuid[] = '{}' OR run_id = ANY ($1) ORDER BY id",
    ids,
  );
  return rows.map(({ kind }) => kind);
}

const untilKind = (bed: TestBed, kind: string, run: { readonly id: string }) =>
  until(async () => (await kindsOf(bed, run)).includes(kind));

describe("events of runs", () => {
  it("are told in the order of what happens, each in the transaction of the change", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(persistent, "in order");
    await run.result();
    expect(await kindsOf(bed, run)).toEqual(["created", "started", "retried", "succeeded"]);
    const [created] = await bed.query<{ data: { leasedBy: string } }>(
      "SELECT data FROM cairn.run_events WHERE run_id = $1 AND kind = 'created'",
      run.id,
    );
    expect(created!.data.leasedBy).toMatch(/:\d+$/);
    const together = await bed.query(
      `SELECT e.xmin::text = r.xmin::text AS same FROM cairn.run_events AS e JOIN cairn.runs AS r ON r.id = e.run_id
      WHERE e.run_id = $1 AND e.kind = 'succeeded'`,
      run.id,
    );
    expect(together).toEqual([{ same: true }]);
    // Nobody holds one that SQL starts: that it is claimed is an event of its own.
    const [{ id }] = (await bed.query<{ id: string }>(
      "SELECT cairn.start_run('telling.announce.v1', '{\"count\":1}') AS id",
    )) as [{ id: string }];
    await cairn.run(id).result();
    expect(await kindsOf(bed, { id })).toEqual(["created", "leased", "started", "succeeded"]);
  });

  it("are all there are changes for, and only of kinds in the table", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(eventful, "a");
    await untilKind(bed, "compensation registered", run);
    await run.pause();
    await untilKind(bed, "paused", run);
    await run.resume();
    await untilKind(bed, "resumed", run);
    await run.signal("go", "on");
    await run.result();
    await run.rollback(1);
    await untilKind(bed, "rolled back", run);
    await run.result();
    await (await run.fork(1)).delete("a test");
    const cancelled = await cairn.start(eventful, "b");
    await untilKind(bed, "started", cancelled);
    await cancelled.cancel("enough");
    await untilKind(bed, "cancelled", cancelled);
    await bed.query(
      "INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at) VALUES ($1, 'signal', 'go', '1', cairn.now())",
      run.id,
    );
    await untilKind(bed, "undelivered", run);
    const failing = await cairn.start(declined);
    await expect(failing.result()).rejects.toThrow("declined");
    await failing.retry();
    await untilKind(bed, "retried", failing);
    await bed.query(
      `SELECT cairn.start_run('telling.announce.v1', '{"count":1}', '{"debounce":{"key":"k","delay":"1 h"}}') FROM generate_series(1, 2)`,
    );
    const kinds = new Set(await kindsOf(bed));
    expect(kinds).toEqual(
      new Set([
        ...["created", "leased", "started", "retried", "succeeded", "failed", "cancelling", "cancelled", "paused"],
        ...["resumed", "signalled", "undelivered", "revived", "rolled back", "superseded", "forked", "debounced"],
        ...["deleted", "log", "progress", "warning", "compensation registered", "compensation failed"],
      ]),
    );
    for (const kind of kinds) expect(RUN_EVENTS.map((each) => each.kind)).toContain(kind);
  });

  it("have no kind that nothing writes, and SQL writes none that is not in the table", () => {
    const read = (folder: string): string =>
      readdirSync(root + folder)
        .map((name) => readFileSync(`${root}${folder}/${name}`, "utf8"))
        .join("\n");
    const texts = read("src/runloop") + read("src/store") + read("migrations");
    for (const { kind } of RUN_EVENTS) expect(texts).toMatch(new RegExp(`["']${kind}["']`));
    const written = [...texts.matchAll(/INSERT INTO cairn\.run_events[^;`]*?'([a-z ]+)'/g)].map((match) => match[1]);
    expect(written.length).toBeGreaterThan(9);
    for (const kind of written) expect(RUN_EVENTS.map((each) => each.kind)).toContain(kind);
  });

  it("are the table of docs/events.md", () => {
    const page = readFileSync(`${root}../../docs/events.md`, "utf8");
    const rows = RUN_EVENTS.map((each) => {
      const told = "told" in each ? `\`cairn.run.${each.told}.v1\`` : "";
      return `| \`${each.kind}\` | ${each.when} | ${told} |`;
    });
    expect(page).toContain(rows.join("\n"));
  });
});

describe("what is told of runs", () => {
  it("is told to those who ask for it by name, in the order of each run, and written for nobody else", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const subscriber = await testSubscriber();
    const target = { kind: "webhook" as const, url: subscriber.url };
    await cairn.subscriptions.upsert({ name: "all", types: ["*"], target, ...QUICK });
    await (await cairn.start(announce, { count: 1 })).result();
    await subscriber.untilTaken(1);
    expect(await bed.query("SELECT type FROM cairn.outbox_events")).toEqual([{ type: "order.paid.v1" }]);
    await cairn.subscriptions.upsert({ name: "ours", types: ["cairn.run.*", "cairn.alert.*"], target, ...QUICK });
    const wanted = await until(async () => {
      const run = await cairn.start(declined);
      await expect(run.result()).rejects.toThrow("declined");
      return (await bed.query("SELECT FROM cairn.outbox_events WHERE run_id = $1", run.id)).length === 4 && run;
    });
    const types = () => subscriber.taken().filter(({ subject }) => subject === wanted.id);
    await until(async () => types().length === 4);
    expect(types().map(({ type }) => type)).toEqual([
      "cairn.run.created.v1",
      "cairn.run.started.v1",
      "cairn.run.failed.v1",
      "cairn.alert.exhausted.v1",
    ]);
    expect(types()[3]!.data).toMatchObject({
      type: "telling.declined.v1",
      attempt: 1,
      lastError: "Error: declined",
      reason: "exhausted",
    });
  });

  it("says of what nobody has a handler for", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const subscriber = await testSubscriber();
    const target = { kind: "webhook" as const, url: subscriber.url };
    await cairn.subscriptions.upsert({
      name: "pager",
      types: ["cairn.alert.no_handler_registered.v1"],
      target,
      ...QUICK,
    });
    await declareElsewhere(bed, "telling.nobody.v1");
    // Runloops hear of a subscription a little later.
    const [event] = await until(async () => {
      const job = await cairn.start("telling.nobody.v1", 1);
      await expect(job.result()).rejects.toMatchObject({ name: "NoHandlerRegistered" });
      return subscriber.taken().length > 0 && subscriber.taken();
    });
    const lastError = "no_handler_registered";
    expect(event).toMatchObject({
      type: "cairn.alert.no_handler_registered.v1",
      data: { lastError, reason: lastError },
    });
  });
});
