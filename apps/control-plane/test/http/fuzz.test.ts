import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { AnswerCheck, textOf } from "../support/answer-check.ts";
import { asPart, oddValue } from "../support/odd-values.ts";
import { type DocumentedOperation, documentOf, operationsOf } from "../support/open-api.ts";
import { type Hints, SchemaArbitraries } from "../support/schema-arbitraries.ts";
import { openRest } from "../support/test-rest.ts";
import { approved, echo, sums, undone } from "../workflows/basics.ts";

/** `npm run verify` asks for 20,000. */
const REQUESTS = Number(process.env["CAIRN_FUZZ_REQUESTS"] ?? 400);
const AT_A_TIME = 20;
const TOGETHER = 10;
/** Of those that are answered with a success. */
const RIGHT_MIN = 0.3;
/** Runs that requests are about: the newest. */
const RUNS_MIN = 4;
const RUNS_MAX = 60;
/** Of what makes runs there is more, so that others have some. */
const WEIGHTS: Readonly<Record<string, number>> = { startRun: 6 };

/** What is alive at the end, of what was after a quarter; the test itself is part of it. */
const HEAP_MAX = 1.3;

interface Mutation {
  /** What is wrong: of ten, six are right. */
  readonly kind: "none" | "field" | "extra" | "missing" | "query" | "path" | "text" | "type" | "namespace";
  readonly value: unknown;
  readonly at: number;
}

interface Made {
  readonly operation: DocumentedOperation;
  /** Parameters and body that fit; which of what exists is chosen when it is sent. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly pick: number;
  readonly mutation: Mutation;
}

interface Existing {
  readonly runs: readonly string[];
  readonly version: string;
  readonly token: string;
  readonly key: string;
}

const STARTS = [
  { type: sums.name, payload: { n: 2 } },
  { type: approved.name },
  { type: echo.name, payload: "x" },
  { type: undone.name, payload: "fuzz" },
];
const SCHEDULES = ["daily", "hourly", "new"];
const SUBSCRIPTIONS = ["shop", "other"];
const SECRETS = ["smtp", "hook", "new"];
/** Nobody is there, and nothing leaves this machine. */
const TARGETS = [
  { kind: "port", port: "none" },
  { kind: "webhook", url: "http://127.0.0.1:9/hook" },
];
const near = (): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: 600_000 }).map((ms) => new Date(Date.now() - ms).toISOString());

function soon(): fc.Arbitrary<string> {
  return fc.integer({ min: 60_000, max: 3_600_000 }).map((ms) => new Date(Date.now() + ms).toISOString());
}

/** What exists, what goes on soon, and what keeps the test from doing more than it means to. */
const HINTS: Hints = {
  namespace: fc.constant("default"),
  "cairn-namespace": fc.constant("default"),
  waitMs: fc.integer({ min: 0, max: 5 }),
  cursor: fc.nat(20).map(String),
  after: fc.nat(20).map(String),
  "followRun.after": fc.nat(5).map((event) => `${event}-1`),
  "followChunks.after": fc.constant(undefined),
  "changeRuns.cursor": fc.integer().map(() => newRunId(Date.now())),
  // What would be done with all runs leaves none for others.
  filter: fc.constantFrom({ tag: "none" }, { type: "none.*" }, { type: undone.name, status: ["failed"] }),
  "startRuns.runs": fc.array(fc.constantFrom<unknown>(...STARTS, { type: "none" }, 7), { minLength: 1, maxLength: 3 }),
  "getState.at": fc.constantFrom(undefined, 1),
  "getVersionSource.hash": fc.constant(undefined),
  contains: fc.constantFrom('{"n":2}', "{}"),
  "listKeys.cursor": fc.constant("01a1e117-9295-798b-8091-0c70e9ba8d64"),
  expiresAt: soon(),
  "listRuns.cursor": fc.integer().map(() => newRunId(Date.now())),
  "listSchedules.cursor": fc.constant(JSON.stringify({ type: sums.name, name: "daily" })),
  version: fc.constant("current"),
  "startRun.version": fc.constant(undefined),
  "startRun.id": fc.integer().map(() => newRunId(Date.now())),
  "forkRun.id": fc.integer().map(() => newRunId(Date.now())),
  runAt: near(),
  deadline: soon(),
  deadLetterType: fc.constant(echo.name),
  "signalRun.name": fc.constantFrom("approval", "approval", "other"),
  signal: fc.constant("approval"),
  to: fc.constantFrom(1, 1, 1, 2, 3, 50),
  from: fc.constantFrom(1, 1, 1, 2, 3, 50),
  "backfillSchedule.from": near(),
  "backfillSchedule.to": near(),
  everyMs: fc.constantFrom(60_000, 3_600_000),
  cron: fc.constantFrom("@daily", "0 3 * * *"),
  timeZone: fc.constantFrom("UTC", "Europe/Berlin"),
  "putSchedule.payload": fc.constant({ n: 1 }),
  target: fc.constantFrom(...TARGETS),
  types: fc.constant(["none.*"]),
  what: fc.constantFrom("events", "outbox", "runs", "deleted"),
  keep: fc.constantFrom("30d", "4w", "forever"),
};

it("requests that are made of the document, right and wrong, are answered as it says, and never by a mistake of ours", async () => {
  const rest = await openRest({ secrets: { masterKey: Buffer.alloc(32, 1).toString("base64") } });
  const port = rest.plane.httpPort!;
  const document = await documentOf(port);
  const operations = operationsOf(document).filter(({ method, path }) => method !== "GET" || path.startsWith("/v1"));
  const check = new AnswerCheck(document);
  const runs = await Promise.all(STARTS.map(({ type, payload }) => rest.start(type, payload)));
  const versions = (await rest.ask("GET", `/workflows/${sums.name}/versions`)).body["items"] as { version: string }[];
  const { body: made } = await rest.ask("POST", "/keys", { name: "fuzz", scopes: ["read"] });
  const world = { runs, version: versions[0]!.version, key: String(made["id"]) };
  /** Of a run of its own: what is asked for ends runs, deletes them, and revokes tokens. */
  const issued = async (): Promise<string> => {
    const run = await rest.start(approved.name);
    const { body } = await rest.ask("POST", `/runs/${run}/tokens`, { signal: "approval" });
    return String(body["token"]);
  };
  for (const name of SECRETS.slice(0, 2)) await rest.ask("PUT", `/secrets/${name}`, { value: "hunter2" });
  for (const name of SCHEDULES.slice(0, 2)) {
    await rest.ask("PUT", `/schedules/${sums.name}/${name}`, { cron: "@daily", payload: { n: 1 } });
  }
  for (const name of SUBSCRIPTIONS) {
    await rest.ask("PUT", `/subscriptions/${name}`, { types: ["none.*"], target: TARGETS[0] });
  }
  const statuses = new Map<number, number>();
  const rights = new Map<string, number>();
  let sent = 0;
  const first = { heap: 0 };

  const ask = async (made: Made): Promise<void> => {
    const { operation } = made;
    const token = operation.path.startsWith("/v1/tokens/") ? await issued() : "";
    const [path, init] = requestOf(made, { ...world, token });
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: operation.method, ...init });
    const text = await textOf(response);
    const { status } = response;
    sent += 1;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const about = `${operation.method} ${path} ${String(init.body).slice(0, 300)} ${status} ${text.slice(0, 300)}`;
    expect(status, `${about} ${rest.warnings.at(-1)}`).toBeLessThan(500);
    // Of a path that is another, another route is asked.
    if (made.mutation.kind !== "path") {
      const wrong = check.mistakeOf(operation, status, response.headers.get("content-type"), text);
      expect(wrong, about).toBeNull();
    }
    if (status >= 300) return;
    rights.set(operation.id, (rights.get(operation.id) ?? 0) + 1);
    if (response.headers.get("content-type")?.includes("json") !== true) return;
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    // Most that are gone are forgotten, else soon all are.
    if (operation.id === "deleteRun" && made.pick % 4 !== 0) forget(runs, String(id));
    if (["startRun", "forkRun", "triggerSchedule"].includes(operation.id) && typeof id === "string") remember(runs, id);
  };

  await fc.assert(
    fc.asyncProperty(
      fc.array(requestArbitrary(operations, new SchemaArbitraries(document, HINTS)), {
        minLength: AT_A_TIME,
        maxLength: AT_A_TIME,
      }),
      async (requests) => {
        // Some beside each other: what one is about may be gone when it is asked for.
        for (let from = 0; from < requests.length; from += TOGETHER) {
          await Promise.all(requests.slice(from, from + TOGETHER).map(ask));
        }
        if (first.heap === 0 && sent > REQUESTS / 4) first.heap = heapBytes();
      },
    ),
    { numRuns: REQUESTS / AT_A_TIME, endOnFailure: true },
  );
  const right = [...statuses].reduce((sum, [status, count]) => (status < 300 ? sum + count : sum), 0);
  console.log(
    `${sent} requests: ${((right / sent) * 100).toFixed(0)} % right,`,
    [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", "),
    `heap ${(heapBytes() / first.heap).toFixed(2)} of that after a quarter`,
  );
  expect(right / sent).toBeGreaterThan(RIGHT_MIN);
  expect(heapBytes() / first.heap).toBeLessThan(HEAP_MAX);
  if (REQUESTS >= 5_000) expect(operations.map(({ id }) => id).filter((id) => !rights.has(id))).toEqual([]);
  expect(rest.warnings).toEqual([]);
}, 600_000);

/** What is alive. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

function forget(runs: string[], id: string): void {
  if (runs.length > RUNS_MIN && runs.includes(id)) runs.splice(runs.indexOf(id), 1);
}

function remember(runs: string[], id: string): void {
  runs.push(id);
  if (runs.length > RUNS_MAX) runs.shift();
}

function requestArbitrary(operations: readonly DocumentedOperation[], schemas: SchemaArbitraries): fc.Arbitrary<Made> {
  const mutation = fc.record({
    kind: fc.oneof(
      { arbitrary: fc.constant<Mutation["kind"]>("none"), weight: 14 },
      {
        arbitrary: fc.constantFrom<Mutation["kind"][]>(
          "field",
          "extra",
          "missing",
          "query",
          "path",
          "text",
          "type",
          "namespace",
        ),
        weight: 6,
      },
    ),
    value: oddValue,
    at: fc.nat(1_000),
  });
  return fc.oneof(
    ...operations.map((operation) => {
      const { parameters, requestBody } = operation.operation;
      const fields = parameters.map(({ name, schema }) => [name, schemas.of(schema, `${operation.id}.${name}`)]);
      const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
      const body = requestBody?.content["application/json"]?.schema;
      const arbitrary = fc.record({
        operation: fc.constant(named(operation)),
        parameters: fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
          requiredKeys: required,
        }),
        body: body === undefined ? fc.constant(undefined) : schemas.of(body, operation.id),
        pick: fc.nat(1_000),
        mutation,
      });
      return { arbitrary, weight: WEIGHTS[operation.id] ?? 1 };
    }),
  );
}

/** Shown by its name alone, where a request is. */
function named(operation: DocumentedOperation): DocumentedOperation {
  return { ...operation, [fc.toStringMethod]: () => operation.id } as DocumentedOperation;
}

/** The path with its query, and the rest. */
function requestOf(made: Made, world: Existing): [string, RequestInit] {
  const { operation, parameters, pick, mutation } = made;
  const known = knownOf(made, world);
  let path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = mutation.kind === "path" ? mutation.value : (known[name] ?? parameters[name]);
    return asPart(value);
  });
  const query = operation.operation.parameters
    .filter(({ in: where, name }) => where === "query" && parameters[name] !== undefined)
    .map(({ name }): [string, unknown] => [name, parameters[name]]);
  if (mutation.kind === "query" && query.length > 0) query[mutation.at % query.length]![1] = mutation.value;
  if (mutation.kind === "extra" && made.body === undefined) query.push(["strange", mutation.value]);
  if (mutation.kind === "namespace") query.push(["namespace", pick % 2 === 0 ? "other" : mutation.value]);
  if (query.length > 0) path += `?${query.map(([name, value]) => `${name}=${asPart(value)}`).join("&")}`;
  const body = bodyOf(made, world);
  if (body === undefined || operation.method === "GET") return [path, {}];
  const isTyped = mutation.kind === "type";
  return [path, { body, headers: { "content-type": isTyped ? "text/plain" : "application/json" } }];
}

function knownOf({ operation, pick }: Made, { runs, token, key, version }: Existing): Record<string, string> {
  if (operation.path.startsWith("/v1/runs/")) return { id: runs[pick % runs.length]! };
  if (operation.path.startsWith("/v1/tokens/")) return { token };
  if (operation.path.startsWith("/v1/outbox/")) return { id: String(1 + (pick % 3)) };
  if (operation.path.startsWith("/v1/schedules/"))
    return { type: sums.name, name: SCHEDULES[pick % SCHEDULES.length]! };
  if (operation.path.startsWith("/v1/subscriptions/")) return { name: SUBSCRIPTIONS[pick % SUBSCRIPTIONS.length]! };
  if (operation.path.startsWith("/v1/workflows/")) return { name: sums.name, version };
  if (operation.path.startsWith("/v1/secrets/")) return { name: SECRETS[pick % SECRETS.length]! };
  if (operation.path.startsWith("/v1/keys/")) return { id: key };
  if (operation.path.startsWith("/v1/retention/")) return { type: pick % 2 === 0 ? "none.*" : "*" };
  return {};
}

/** As it is sent: with what exists, and with what is wrong. */
function bodyOf({ operation, body, pick, mutation }: Made, { version }: Existing): string | undefined {
  if (mutation.kind === "text") return pick % 2 === 0 ? '{"type": ' : JSON.stringify(mutation.value);
  if (typeof body !== "object" || body === null) return body === undefined ? undefined : JSON.stringify(body);
  const fields: Record<string, unknown> = { ...body };
  if (operation.id === "startRun") {
    Object.assign(fields, { payload: undefined, ...STARTS[pick % STARTS.length] });
    // What belongs together, or not to a start that may be the one from before.
    if (fields["debounce"] !== undefined) delete fields["deduplicate"];
  }
  if (operation.id === "promoteVersion") fields["version"] = version;
  if (operation.id === "putSchedule") {
    if (pick % 2 === 0) for (const name of ["everyMs", "anchor"]) delete fields[name];
    else for (const name of ["cron", "timeZone"]) delete fields[name];
    if (pick % 2 === 0) fields["cron"] ??= "@daily";
    else fields["everyMs"] ??= 60_000;
  }
  if (operation.id === "changeRuns") {
    const { action } = fields;
    if (action !== "signal") for (const name of ["name", "value"]) delete fields[name];
    else fields["name"] ??= "approval";
    if (action !== "cancel" && action !== "delete") delete fields["reason"];
  }
  const names = Object.keys(fields);
  const name = names[mutation.at % Math.max(1, names.length)];
  if (mutation.kind === "field" && name !== undefined) fields[name] = mutation.value;
  if (mutation.kind === "missing" && name !== undefined) delete fields[name];
  if (mutation.kind === "extra") fields["strange"] = mutation.value;
  return JSON.stringify(fields);
}
