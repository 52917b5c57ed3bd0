import fc from "fast-check";
import { expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { openRest } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

/** What stands where something else should: odd texts, numbers, things within things. */
const odd = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "\0",
    "\ud800",
    "x".repeat(501),
    "2026-02-30T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ),
  fc.constantFrom(
    null,
    true,
    -0,
    1e308,
    2 ** 53,
    [],
    {},
    [[]],
    { $date: 1 },
    { $error: {} },
    { $ref: 0 },
    { $def: [] },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Names of fields, of which some are wanted somewhere. */
const FIELDS = ["type", "payload", "id", "runAt", "deadline", "tags", "name", "value", "key", "to", "from", "effects"];
const MORE = ["reason", "version", "debounce", "deduplicate", "ttlMs", "maxAttempts", "priority", "__proto__"];
const TIMES = ["cron", "timeZone", "everyMs", "anchor", "jitterMs", "catchUp", "reactivate", "from", "to"];
const WANTED = ["keep", "types", "target", "backoffMs", "subscription", "runId", "all"];
const QUERY = [
  "limit",
  "cursor",
  "namespace",
  "type",
  "status",
  "phase",
  "tag",
  "since",
  "until",
  "waitMs",
  "reason",
  "upcoming",
];

it("nothing that is sent is a mistake of the control plane's", async () => {
  const rest = await openRest();
  const known = await rest.start(approved.name);
  const ended = await rest.start(sums.name, { n: 2 });
  await rest.result(ended);
  await rest.ask("PUT", `/schedules/${sums.name}/daily`, { cron: "@daily", payload: { n: 1 } });
  const target = { kind: "port", port: "none" };
  await rest.ask("PUT", "/subscriptions/shop", { types: ["none.*"], target });
  const run = fc.constantFrom(known, ended, newRunId(Date.now()), known.toUpperCase(), "x", "%00", "%20", "");
  const path = fc.oneof(
    fc.constantFrom("/runs", "/workflows", "/workers", "/health", "/schedules", `/schedules/${sums.name}/daily`),
    fc
      .tuple(fc.oneof(fc.constant("daily"), odd), fc.constantFrom("", "/pause", "/resume", "/trigger", "/backfill"))
      .map(([name, part]) => `/schedules/${sums.name}/${written(name)}${part}`),
    fc.constantFrom("/subscriptions", "/outbox", "/outbox/stats", "/outbox/redrive", "/outbox/discard", "/outbox/1"),
    odd.map((id) => `/outbox/${written(id)}`),
    fc.constantFrom("/retention", "/retention/preview", "/retention/runs/none.*", "/retention/outbox/*"),
    fc
      .tuple(fc.oneof(fc.constant("events"), odd), odd)
      .map(([what, type]) => `/retention/${written(what)}/${written(type)}`),
    fc
      .tuple(fc.oneof(fc.constant("shop"), odd), fc.constantFrom("", "/pause", "/resume", "/test"))
      .map(([name, part]) => `/subscriptions/${written(name)}${part}`),
    run.map((id) => `/runs/${id}`),
    fc
      .tuple(run, fc.constantFrom("steps", "attempts", "history", "events", "export", "pause", "resume", "cancel"))
      .map(([id, part]) => `/runs/${id}/${part}`),
    fc
      .tuple(run, fc.constantFrom("signal", "retry", "rollback", "fork", "result"))
      .map(([id, part]) => `/runs/${id}/${part}`),
    fc.tuple(odd, fc.constantFrom("versions", "promote")).map(([name, part]) => `/workflows/${written(name)}/${part}`),
  );
  const fields = fc.dictionary(fc.constantFrom(...FIELDS, ...MORE, ...TIMES, ...WANTED), odd, { maxKeys: 4 });
  const likely = fields.map((given) => ({ ...given, type: sums.name }));
  const signal = fc.record({ name: fc.constantFrom("approval", "\0"), value: odd });
  const back = fc.record({ to: fc.integer({ min: -1, max: 5 }) });
  const fork = fc.record({ from: fc.integer({ min: -1, max: 5 }), id: fc.constant(newRunId(Date.now())) });
  const every = fc.record({
    everyMs: fc.constantFrom(0, 1, 60_000, 3_155_760_000_000),
    payload: fc.constant({ n: 1 }),
  });
  const schedule = fc.tuple(fields, every).map(([given, when]) => ({ ...given, ...when }));
  const wanted = fields.map((given) => ({ ...given, types: ["*"], target }));
  const letters = fc.record({ id: fc.constantFrom(0, 1, 2 ** 53 - 1), all: fc.constant(true) }, { requiredKeys: [] });
  const body = fc.oneof(fc.constant(undefined), fields, likely, signal, back, fork, schedule, wanted, letters, odd);
  const query = fc.array(fc.tuple(fc.constantFrom(...QUERY), odd), { maxLength: 2 });
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "PUT", "DELETE"),
      path,
      query,
      body,
      async (method, where, asked, sent) => {
        const search = asked.map(([name, value]) => `${name}=${written(value)}`).join("&");
        const without = method === "GET" || sent === undefined;
        const answer = await rest.ask(method, `${where}?${search}`, without ? undefined : (JSON.stringify(sent) ?? ""));
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect(answer.status, `${method} ${where} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
        if (answer.status >= 400)
          expect(answer.body).toMatchObject({ status: answer.status, code: expect.any(String) });
      },
    ),
    { numRuns: 500 },
  );
  expect(rest.warnings).toEqual([]);
  // Some of it is right, else this would show little.
  for (const status of [200, 400, 404]) expect(statuses.get(status), `${status}`).toBeGreaterThan(0);
});

/** As a part of an address. */
function written(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return encodeURIComponent(Buffer.from(text).toString());
}
