import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../../control-plane/test/support/test-engine.ts";
import { freePorts } from "../processes/processes.ts";
import { operated } from "./plane.ts";

const plane = operated();

const TYPE = "shop.approving.v1";
const BROKEN = "shop.broken.v1";

it("cairn schedules: sets, lists, shows, pauses, resumes, triggers, backfills and deletes", async () => {
  const of = (command: string, ...args: string[]) => plane.cairn("schedules", command, TYPE, ...args);
  const json = (command: string, ...args: string[]) =>
    plane.json<Record<string, unknown>>("schedules", command, TYPE, ...args);
  const cron = ["--cron", "30 9 * * MON-FRI", "--time-zone", "Europe/Berlin", "--jitter", "90s"];
  const more = ["--input", '"B-2"', "--catch-up", "none", "--priority", "-5", "--tags", "a, b", "--deadline", "2h"];
  const [set, other] = await Promise.all([
    plane.cairn("schedules", "set", BROKEN, "morning", ...cron, ...more, "--allow-duplicate", "--max-attempts", "2"),
    json("set", "sweep", "--every", "90m", "--anchor", "2026-01-01T00:00:00Z"),
  ]);
  expect(set.code, set.text).toBe(0);
  expect(set.stdout).toMatch(/^shop\.broken\.v1 morning: active, next \S+T\d\d:30:00.000Z \(in \d+ \w+\)\n$/);
  expect(other).toMatchObject({ name: "sweep", everyMs: 5_400_000, anchor: "2026-01-01T00:00:00.000Z", jitterMs: 0 });
  const [none, list, listed, show, shown] = await Promise.all([
    plane.cairn("schedules", "list", "--status", "paused"),
    plane.cairn("schedules", "list"),
    plane.json<{ schedules: object[] }>("schedules", "list", "--status", "active", "--type", BROKEN),
    plane.cairn("schedules", "show", BROKEN, "morning", "--upcoming", "2"),
    plane.json<Record<string, unknown>>("schedules", "show", BROKEN, "morning", "--upcoming", "3"),
  ]);
  expect(none).toMatchObject({ code: 0, stdout: "", text: expect.stringContaining("there are no such schedules") });
  const lines = list.stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^TYPE +NAME +WHEN +STATUS +NEXT +LAST +STARTED +SKIPPED +MISSED$/);
  expect(lines[2]).toMatch(/^shop\.broken\.v1 +morning +30 9 \* \* MON-FRI Europe\/Berlin \+ up to 90 s +active +in /);
  expect(lines[1]).toMatch(/^shop\.approving\.v1 +sweep +every 90 min +active +in \d+ \w+ +0 +0 +0$/);
  expect(listed.schedules).toMatchObject([{ name: "morning", payload: "B-2", priority: -5, tags: ["a", "b"] }]);
  expect(show.stdout).toMatch(/^schedule +shop\.broken\.v1 {2}morning\nwhen +30 9 /);
  expect(show.stdout).toContain('input     "B-2"');
  expect(show.stdout).toMatch(/\nnext {6}\S+T\d\d:30:00\.000Z {2}in \d+ \w+\nthen {6}\S+Z {2}in \d+ \w+\n$/);
  expect(shown).toMatchObject({ maxAttempts: 2, deadlineMs: 7_200_000, allowDuplicate: true, catchUp: "none" });
  expect(shown["upcoming"]).toHaveLength(3);

  expect(await of("pause", "sweep", "--reason", "holidays")).toMatchObject({
    code: 0,
    stdout: "shop.approving.v1 sweep: paused\n",
  });
  const [kept, pausedList] = await Promise.all([
    json("set", "sweep", "--every", "90m", "--keep-paused"),
    plane.cairn("schedules", "list", "--status", "paused"),
  ]);
  expect(kept).toMatchObject({ status: "paused", pauseReason: "holidays" });
  expect(pausedList.stdout).toMatch(/paused .* holidays\n$/);
  const [resumed, triggered] = await Promise.all([json("resume", "sweep"), of("trigger", "sweep")]);
  expect(resumed).toMatchObject({ status: "active", nextRunAt: expect.any(String) });
  expect(triggered).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  const [busy, beside, filled, text] = await Promise.all([
    of("trigger", "sweep"),
    json("trigger", "sweep", "--allow-duplicate"),
    json("backfill", "sweep", "--from", "2026-01-01T00:00:00Z", "--to", "2026-01-01T03:00:00Z"),
    of("backfill", "sweep", "--from", "1s"),
  ]);
  expect(busy).toMatchObject({
    code: 1,
    stdout: "",
    text: expect.stringContaining("ScheduleBusy: A run of the schedule"),
  });
  expect(beside).toMatchObject({ id: expect.any(String) });
  expect(filled).toEqual({ started: 3 });
  expect(text).toMatchObject({ code: 0, stdout: "0 runs started\n" });
  const [deleted, gone] = await Promise.all([
    of("delete", "sweep"),
    plane.json("schedules", "delete", BROKEN, "morning", "--yes"),
  ]);
  expect(deleted).toMatchObject({ code: 0, stdout: "shop.approving.v1 sweep: deleted\n" });
  expect(gone).toEqual({ type: BROKEN, name: "morning" });
});

/** Takes tests alone. */
async function picky(): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => response.writeHead(text.includes("cairn.test.v1") ? 204 : 400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

async function writeEvents(...types: readonly string[]): Promise<void> {
  const sql = new pg.Client({ connectionString: plane.databaseUrl });
  await sql.connect();
  await sql.query(
    `INSERT INTO cairn.outbox_events (namespace, run_id, type, data, created_at)
    SELECT 'default', cairn.new_id(), type, '{"order":4711}', cairn.now() FROM unnest($1::text[]) AS type`,
    [types],
  );
  await sql.query("NOTIFY cairn_outbox");
  await sql.end();
}

it("cairn subscriptions and cairn outbox: sets, tests, lists, shows, pauses; stats, dead letters, redrive and discard", async () => {
  const url = await picky();
  const set = await plane.cairn(
    ...["subscriptions", "set", "shop", "--types", "order.*, job.*", "--webhook", url, "--max-attempts", "1"],
    ...["--timeout", "5s", "--backoff", "100ms", "--backoff-max", "2s"],
  );
  expect(set).toMatchObject({ code: 0, stdout: "shop: active, for order.*, job.*; 0 waiting\n" });
  await writeEvents("order.paid.v1", "job.done.v1");
  await until(async () => (await (await fetch(`${plane.url}/v1/outbox/stats`)).text()).includes('"dead":2'));
  const [tested, test, list, subscriptions, show, stats, counts, dead, letters] = await Promise.all([
    plane.cairn("subscriptions", "test", "shop"),
    plane.json("subscriptions", "test", "shop"),
    plane.cairn("subscriptions", "list"),
    plane.json<{ subscriptions: object[] }>("subscriptions", "list"),
    plane.cairn("subscriptions", "show", "shop"),
    plane.cairn("outbox", "stats"),
    plane.json("outbox", "stats"),
    plane.cairn("outbox", "list", "--state", "dead", "--subscription", "shop"),
    plane.json<{ events: { id: number; type: string }[] }>("outbox", "list", "--limit", "1"),
  ]);
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shop has taken it, in \d+ ms\n$/) });
  expect(test).toMatchObject({ taken: true, error: null });
  expect(list.stdout).toMatch(/^NAME +TYPES +TARGET +STATUS +DELIVERED +LAST +WAITING +DEAD/);
  expect(list.stdout).toMatch(/\nshop +order\.\*,job\.\* +http:\S+\/hooks +active +0 +0 +2/);
  expect(subscriptions.subscriptions).toMatchObject([{ name: "shop", timeoutMs: 5_000, backoffMs: 100, dead: 2 }]);
  expect(show.stdout).toContain(`target    webhook  ${url}\n`);
  expect(show.stdout).toContain("attempts  1, of 5 s each, after 100 ms to 2 s\n");
  expect(stats.stdout).toMatch(/^pending {3}0\nwaiting {3}0\ndead {6}2\npublished by \S+, 16 shards\n$/);
  expect(counts).toMatchObject({ dead: 2, pending: 0, dispatchers: [{ shards: 16 }] });
  expect(dead.stdout).toMatch(/^ID +TYPE +STATE +RUN +WRITTEN\n\d+ +job\.done\.v1 +dead +[0-9a-f-]{36} +\d+ \w+ ago\n/);
  const [event] = letters.events as [{ id: number; type: string }];
  expect(event.type).toBe("job.done.v1");
  const [shown, json, redriven] = await Promise.all([
    plane.cairn("outbox", "show", String(event.id)),
    plane.json("outbox", "show", String(event.id)),
    plane.cairn("outbox", "redrive", "--type", "order.paid.v1"),
  ]);
  expect(shown.stdout).toContain('data      {"order":4711}');
  expect(shown.stdout).toMatch(/shop +dead +1 +http:\S+ answered 400 Bad Request\n$/);
  expect(json).toMatchObject({ id: event.id, data: { order: 4711 }, deliveries: [{ subscription: "shop" }] });
  expect(redriven).toMatchObject({ code: 0, stdout: "1 dead letter offered again\n" });
  const [discarded, paused, nats, old] = await Promise.all([
    plane.json("outbox", "discard", String(event.id), "--yes"),
    plane.json("subscriptions", "pause", "shop", "--reason", "moving"),
    plane.json("subscriptions", "set", "bus", "--types", "*", "--nats", "127.0.0.1:1", "--subject", "shop"),
    plane.json("subscriptions", "set", "old", "--types", "x.*", "--target", '{"kind":"port","port":"none"}'),
  ]);
  expect(old).toMatchObject({ target: { kind: "port", port: "none" } });
  expect(discarded).toEqual({ count: 1 });
  expect(paused).toMatchObject({ status: "paused", pausedReason: "moving" });
  expect(nats).toMatchObject({ target: { kind: "nats", url: "127.0.0.1:1", subject: "shop" } });
  const [resumed, away, deleted] = await Promise.all([
    plane.cairn("subscriptions", "resume", "shop"),
    plane.cairn("subscriptions", "test", "bus"),
    plane.cairn("subscriptions", "delete", "old", "--yes"),
  ]);
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shop: active, for order/) });
  expect(away).toMatchObject({
    code: 1,
    stdout: "",
    text: expect.stringMatching(/^cairn: bus has not taken it: NATS on 127\.0\.0\.1:1 is away: [^\n]+\n$/),
  });
  expect(deleted).toMatchObject({ code: 0, stdout: "old: deleted\n" });
});

it("what is wrong is one line", async () => {
  const [port = ""] = await freePorts(1);
  const subscribe = ["subscriptions", "set", "x", "--types", "order.*"];
  const set = ["schedules", "set", TYPE, "x"];
  expect(
    await plane.json("subscriptions", "set", "gone", "--types", "x.*", "--webhook", `http://127.0.0.1:${port}/`),
  ).toMatchObject({ name: "gone" });
  const nats = ["--nats", `127.0.0.1:${port}`, "--subject", "shop"];
  expect(await plane.json("subscriptions", "set", "bus", "--types", "x.*", ...nats)).toMatchObject({ name: "bus" });
  const missing = (command: string, ...flags: string[]): [string[], number, string] => [
    ["schedules", command, TYPE, "x", ...flags],
    1,
    `NotFound: ${TYPE} has no schedule x`,
  ];
  const unknown = (command: string): [string[], number, string] => [
    ["subscriptions", command, "x"],
    1,
    'NotFound: There is no subscription "x" in default',
  ];
  const cases: [string[], number, string][] = [
    ...["show", "pause", "resume", "trigger", "delete"].map((command) => missing(command)),
    missing("backfill", "--from", "1h"),
    ...["show", "pause", "resume", "test", "delete"].map(unknown),
    [["subscriptions", "test", "bus"], 1, `bus has not taken it: NATS on 127.0.0.1:${port} is away`],
    [["subscriptions", "list", "--api-url", `http://127.0.0.1:${port}`], 1, "No control plane answers at"],
    [["outbox", "stats", "--api-url", `http://127.0.0.1:${port}`], 1, "No control plane answers at"],
    [["outbox", "list", "--state", "lost"], 1, "InvalidMessage: state"],
    [["outbox", "list", "--run", "x"], 1, "InvalidMessage: runId"],
    [["outbox", "show", "stats"], 2, "It must be a whole number from 1"],
    [["outbox", "show", "999999"], 1, "NotFound: There is no event 999999 in the outbox"],
    [["outbox", "discard"], 2, "give the id of an event, --subscription, --type, --run, or --all"],
    [["schedules", "list", "--status", "gone"], 1, "InvalidMessage: status"],
    [["schedules", "backfill", TYPE, "x"], 2, "--from <time>"],
    [[...set, "--cron", "0 0 31 2,4,6,9,11 *"], 1, "is never due"],
    [[...set, "--cron", "61 * * * *"], 1, 'InvalidOption: The cron expression "61 * * * *" is malformed'],
    [[...set, "--cron", "@daily", "--time-zone", "Mars/Phobos"], 1, 'InvalidOption: "Mars/Phobos" is no time zone'],
    [[...set, "--every", "soon"], 2, '--every is a length of time such as 90s, 15m, 2h or 7d, not "soon"'],
    [[...set, "--every", "1h", "--input", "{"], 2, "--input is not JSON"],
    [["schedules", "list", "--api-url", `http://127.0.0.1:${port}`], 1, "No control plane answers at"],
    [
      ["subscriptions", "test", "gone"],
      1,
      `gone has not taken it: http://127.0.0.1:${port}/ cannot be reached: connect`,
    ],
    [subscribe, 2, "give one of --webhook, --nats, --file and --target"],
    [[...subscribe, "--nats", "127.0.0.1"], 2, "--nats and --subject belong together"],
    [[...subscribe, "--webhook", "example.com"], 1, "InvalidMessage: target.url: is an address such as"],
    [["outbox", "redrive"], 2, "give the id of an event, --subscription, --type, --run, or --all"],
  ];
  await Promise.all(
    cases.map(async ([args, code, says]) => {
      const ran = await plane.cairn(...args);
      expect(ran.text, args.join(" ")).toContain(says);
      expect({ code: ran.code, stdout: ran.stdout }, args.join(" ")).toEqual({ code, stdout: "" });
      if (code === 1) expect(ran.text.trimEnd().split("\n"), ran.text).toHaveLength(1);
    }),
  );
});
