import { readFileSync, writeFileSync } from "node:fs";
import { create, toBinary } from "@bufbuild/protobuf";
import { type Client, status as grpcStatus, type StatusObject } from "@grpc/grpc-js";
import {
  blobRefOf,
  CODE_METADATA_KEY,
  pb,
  registerRequestToProto,
  serviceDefinition,
  startRequestToProto,
  waitRequestToProto,
  workerFrameToProto,
} from "@cairnjs/protocol";
import { type Scope, SCOPES } from "@cairnjs/schemas";
import { beforeAll, describe, expect, it } from "vitest";
import type { ServedRoute } from "../../src/http/http-server.ts";
import { METHOD_SCOPES } from "../../src/grpc/authorization.ts";
import { newRunId } from "../../src/ids.ts";
import { deadKeys, testKeyOf } from "../support/test-keys.ts";
import { type TestBed, until } from "../support/test-engine.ts";
import { watch } from "../support/test-live.ts";
import { openRest } from "../support/test-rest.ts";
import {
  connectTo,
  RawWorker,
  registerFlows,
  registrations,
  startRuns,
  tokenMetadata,
} from "../support/test-worker.ts";
import { sums } from "../workflows/basics.ts";
import { AllowedRequests } from "./allowed-requests.ts";
import { type Askers, listening, topicRows } from "./every-topic.ts";
import { TOKEN } from "./response-cases.ts";

/*
 * Every route of a control plane and every method of its protocol, asked by everyone who should not: what is measured stands in
 * docs/security.md. `CAIRN_UPDATE_DOCS=1` writes it. Routes are those that the server has: one that is added is asked too.
 */

const page = new URL("../../../../docs/security.md", import.meta.url);

/** Routes that are asked for beside each other. */
const TOGETHER = 8;

/** In everything that is made in the namespace `default`. */
const MARK = "not-for-strangers";

/** Of the flows that are registered in the stranger's namespace. */
const STRANGERS_FLOW = "remote.waiting";

/** What stands in paths: of things that are there, in `default`. */
interface Things {
  readonly id: string;
  readonly key: string;
  readonly version: string;
}

/** Of a path with these names in it, where they are not the usual ones. */
function pathOf(path: string, things: Things, others: Readonly<Record<string, string>> = {}): string {
  const id = path.includes("/keys/") ? things.key : path.includes("/outbox/") ? "1" : things.id;
  const values: Record<string, string> = { id, name: MARK, type: sums.name, what: "runs", version: things.version };
  if (path.includes("/workflows/")) values["name"] = sums.name;
  Object.assign(values, { token: "none" }, others);
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`${path}: say what stands for :${name}`);
    return encodeURIComponent(values[name]);
  });
}

/** What it takes beyond an empty body to be understood. */
function bodyOf({ method, path }: ServedRoute, { id, version }: Things): unknown {
  const start = { id, type: STRANGERS_FLOW, payload: "x" };
  const bodies: Record<string, unknown> = {
    "POST /v1/runs": start,
    "POST /v1/runs/:id/tokens": { signal: "approval", expiresInMs: 60_000 },
    "POST /v1/runs/:id/signal": { name: "approval", value: 1 },
    "POST /v1/runs/:id/rollback": { to: 1 },
    "POST /v1/runs/:id/fork": { from: 1 },
    "POST /v1/workflows/:name/promote": { version },
    "PUT /v1/schedules/:type/:name": { cron: "@daily", payload: { n: 1 } },
    "POST /v1/schedules/:type/:name/backfill": { from: "2026-01-01T00:00:00Z" },
    "PUT /v1/subscriptions/:name": { types: ["none.*"], target: { kind: "webhook", url: "https://example.com" } },
    "PUT /v1/retention/:what/:type": { keep: "forever" },
    "POST /v1/outbox/redrive": { all: true },
    "POST /v1/outbox/discard": { all: true },
    "POST /v1/runs/batch": { runs: [start] },
    "POST /v1/runs/bulk": { action: "pause", filter: { tag: MARK } },
    "POST /v1/runs/wait": { ids: [id] },
    "PUT /v1/secrets/:name": { value: "hunter2" },
    "POST /v1/keys": { name: "mine", scopes: ["read"] },
  };
  const body = bodies[`${method} ${path}`];
  return method === "GET" || method === "HEAD" ? undefined : (body ?? (method === "DELETE" ? undefined : {}));
}

/** They say with which id a run is to be made. */
const STARTS = new Set(["POST /v1/runs", "POST /v1/runs/batch"]);

/** They make something of the namespace of whoever asks. */
const MAKES_ITS_OWN = new Set([
  "PUT /v1/subscriptions/:name",
  "PUT /v1/retention/:what/:type",
  "PUT /v1/secrets/:name",
]);

interface Opened extends Askers {
  readonly bed: TestBed;
  /** What is right to ask of each route. */
  readonly allowed: AllowedRequests;
  readonly port: number;
  readonly grpc: number;
  readonly routes: readonly ServedRoute[];
  readonly things: Things;
  readonly dead: Readonly<Record<"wrong" | "expired" | "revoked", string>>;
  readonly scoped: Readonly<Record<Scope, string>>;
  /** Of another namespace, with all scopes. */
  readonly stranger: string;
  /** Of yet another one, in which nothing was done: there is nothing to see. */
  readonly newcomer: string;
}

async function opened(): Promise<Opened> {
  const secrets = { masterKey: Buffer.alloc(32, 1).toString("base64") };
  // Of so many wrong keys, most would not be looked at.
  const rest = await openRest({ tokens: [{ token: TOKEN }], token: TOKEN, secrets, rate: false });
  const { bed, plane } = rest;
  const ask = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> =>
    (await rest.ask(method, path, body)).body;
  const { id } = await ask("POST", "/runs", { type: sums.name, payload: { n: 1 }, tags: [MARK] });
  await ask("GET", `/runs/${id}/result?waitMs=30000`);
  await ask("PUT", `/schedules/${sums.name}/${MARK}`, { cron: "@daily", payload: { n: 1 } });
  const target = { kind: "webhook", url: "https://example.com" };
  await ask("PUT", `/subscriptions/${MARK}`, { types: [`${MARK}.*`], target });
  await ask("PUT", `/retention/runs/${sums.name}`, { keep: "100d" });
  await ask("PUT", `/secrets/${MARK}`, { value: "hunter2" });
  const { items } = await ask("GET", `/workflows/${sums.name}/versions`);
  const [version] = items as { version: string }[];
  const key = await testKeyOf(bed, ["read"], { namespace: "default", name: MARK });
  await bed.query(
    `INSERT INTO cairn.outbox_events (id, namespace, run_id, type, data, created_at, published_at)
    VALUES (1, 'default', $1, $2, '1', cairn.now(), cairn.now())`,
    id,
    MARK,
  );
  const scoped = {} as Record<Scope, string>;
  for (const scope of SCOPES) scoped[scope] = (await testKeyOf(bed, [scope])).key;
  return {
    bed,
    allowed: await AllowedRequests.open(rest),
    port: plane.httpPort!,
    grpc: plane.port,
    routes: plane.routes,
    things: { id: id as string, key: key.id, version: version!.version },
    dead: await deadKeys(bed),
    scoped,
    stranger: (await testKeyOf(bed, SCOPES, { namespace: "other", name: "stranger" })).key,
    newcomer: (await testKeyOf(bed, SCOPES, { namespace: "third", name: "newcomer" })).key,
  };
}

/** The status alone, and what is said if that ends: a stream may not. */
async function statusOf(
  { port }: Opened,
  method: string,
  path: string,
  token: string | undefined,
  body?: unknown,
): Promise<{ readonly status: number; readonly code: string | null; readonly text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const challenge = response.headers.get("www-authenticate");
  expect(challenge, `${method} ${path}`).toBe(response.status === 401 ? 'Bearer realm="cairn"' : null);
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body!.cancel();
    return { status: response.status, code: null, text: "" };
  }
  const text = await response.text();
  const [, code = null] = /"code":"(\w+)"/.exec(text) ?? [];
  return { status: response.status, code, text };
}

type Row = readonly string[];

const HEAD: Row = ["", "no key", "no longer a key", ...SCOPES, "another namespace", "what another has"];
const ALLOWED = "yes";

let rest: Row[] = [];
let topics: Row[] = [];
let methods: Row[] = [];

describe("who may ask for what", () => {
  it("every route refuses who has no key, a wrong, expired or revoked one, not its scope, or another namespace", async () => {
    const server = await opened();
    await registerFlows(connectTo(server.grpc), "other", server.stranger);
    expect(server.routes.length).toBeGreaterThan(80);
    const rows = new Map<ServedRoute, Row>();
    const left = server.routes.values();
    await Promise.all(
      Array.from({ length: TOGETHER }, async () => {
        for (const route of left) rows.set(route, await askedBy(server, route));
      }),
    );
    rest = server.routes.map((route) => [`\`${route.method} ${route.path}\``, ...rows.get(route)!]);
  });

  it("WebSockets, and each topic of theirs, do so too", async () => {
    topics = await topicRows(await opened());
  });

  it("streams and topics tell nobody what is of another namespace, from whatever cursor he begins", async () => {
    const server = await opened();
    const { bed, port, stranger, scoped } = server;
    const client = connectTo(server.grpc);
    await registerFlows(client, "other", stranger);
    const url = `http://127.0.0.1:${port}/v1/events/stream`;
    const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
    const insider = await watch(url, as(scoped.admin));
    const topicsOf = (after?: string): object[] =>
      ["run:*", "audit:*"].map((topic) => (after === undefined || topic === "audit:*" ? { topic } : { topic, after }));
    const insiderHeard = await listening(port, scoped.admin, topicsOf());
    await until(async () => insider.firstId ?? undefined);
    // What the others began behind is before all of this.
    const after = insider.firstId!;
    const outsiders = [await watch(url, as(stranger)), await watch(`${url}?after=${after}`, as(stranger))];
    const outsiderHeard = [
      await listening(port, stranger, topicsOf()),
      await listening(port, stranger, topicsOf(after)),
    ];
    const body = { type: sums.name, payload: { n: 1 }, tags: [MARK] };
    const started = await statusOf(server, "POST", "/v1/runs", scoped.operate, body);
    const { id: theirs } = JSON.parse(started.text) as { id: string };
    await statusOf(server, "PUT", `/v1/secrets/${MARK}`, scoped.admin, { value: "hunter2" });
    await insider.until(({ data }) => JSON.stringify(data).includes(theirs));
    await until(async () => insiderHeard().includes(theirs) && insiderHeard().includes("secret.set"));
    // Behind all that: something of his own, which he is told.
    await startRuns(client, [{ type: STRANGERS_FLOW, input: "x" }], "other", stranger);
    const [own] = await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE namespace = 'other'");
    for (const outsider of outsiders) await outsider.until(({ data }) => JSON.stringify(data).includes(own!.id));
    for (const heard of outsiderHeard) {
      await until(async () => heard().includes(own!.id) && heard().includes('"action":"run.start"'));
    }
    const told = JSON.stringify(outsiders.map(({ said }) => said)) + outsiderHeard.map((heard) => heard()).join("");
    for (const secret of [theirs, MARK, sums.name, "secret.set"]) expect(told).not.toContain(secret);
  });

  it("every method of the protocol does so too", async () => {
    const server = await opened();
    const services = { ...serviceDefinition(pb.WorkerService), ...serviceDefinition(pb.ClientService) };
    expect(Object.keys(METHOD_SCOPES).sort()).toEqual(Object.keys(services).sort());
    const client = connectTo(server.grpc);
    await registerFlows(client, "other", server.stranger);
    for (const [name, { path }] of Object.entries(services)) {
      methods.push([`\`${path.slice(1)}\``, ...(await calledBy(client, server, name, path))]);
    }
    for (const path of [
      "/grpc.health.v1.Health/Check",
      "/grpc.health.v1.Health/List",
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    ]) {
      expect((await called(client, path, undefined)).code, path).toBe(0);
    }
  });

  it("stands in docs/security.md: CAIRN_UPDATE_DOCS=1 writes it", () => {
    const text = readFileSync(page, "utf8");
    const written = withTables(text);
    if (process.env["CAIRN_UPDATE_DOCS"] === "1") writeFileSync(page, written);
    else expect(text).toBe(written);
  });
});

/** The cells of a route's row. */
async function askedBy(server: Opened, route: ServedRoute): Promise<string[]> {
  const { method, scope } = route;
  const what = `${method} ${route.path}`;
  const path = pathOf(route.path, server.things);
  /** Who may ask succeeds; whoever may not is told so before anything that he says is looked at. */
  const said = async (token: string | undefined, mayIt: boolean): Promise<string> => {
    const { url, body } = mayIt ? await server.allowed.make(route) : { url: `${path}?nonsense=1` };
    const { status, text } = await statusOf(server, method, url, token, body);
    if (status === 401 || status === 403) return String(status);
    expect([mayIt, status >= 200 && status < 300], `${what}: ${status} ${text}`).toEqual([true, true]);
    return ALLOWED;
  };
  const isPublic = scope === "public";
  const none = await said(undefined, isPublic);
  const dead: string[] = [];
  for (const key of Object.values(server.dead)) dead.push(await said(key, isPublic));
  expect(new Set(dead).size, what).toBe(1);
  expect([none, dead[0]], what).toEqual(isPublic ? [ALLOWED, ALLOWED] : ["401", "401"]);
  const byScope: string[] = [];
  for (const each of SCOPES) byScope.push(await said(server.scoped[each], mayAsk(each, scope)));
  expect(byScope, what).toEqual(SCOPES.map((each) => (mayAsk(each, scope) ? ALLOWED : "403")));
  return [none, dead[0]!, ...byScope, ...(await askedByStranger(server, route, path))];
}

/** `admin` includes `operate`, and that `read`; `worker` is apart. */
function mayAsk(has: Scope, wanted: ServedRoute["scope"]): boolean {
  if (wanted === "public" || wanted === "any" || has === wanted) return true;
  const order: readonly string[] = ["read", "operate", "admin"];
  return has !== "worker" && wanted !== "worker" && order.indexOf(has) > order.indexOf(wanted);
}

/** Who is of another namespace: where it names that of others, and where it asks for what is there. */
async function askedByStranger(server: Opened, route: ServedRoute, path: string): Promise<[string, string]> {
  const { method, scope } = route;
  const what = `${method} ${route.path}`;
  if (scope === "public") return ["", ""];
  const body = bodyOf(route, server.things);
  const named = await statusOf(server, method, `${path}?namespace=default`, server.stranger, body);
  expect(named.status, what).toBe(403);
  const isOwn = MAKES_ITS_OWN.has(what);
  const asked = isOwn ? pathOf(route.path, server.things, { name: "own", type: "own.v1" }) : path;
  const isList = method === "GET" && !route.path.includes(":");
  const own = await statusOf(server, method, asked, isList ? server.newcomer : server.stranger, body);
  expect(own.status, `${what}: ${own.text}`).toBeLessThan(500);
  if (STARTS.has(what)) return ["403", conflictIn(own.text, server.things.id)];
  // It may say again what it was asked for.
  const missing = JSON.stringify({ id: server.things.id, status: "missing" });
  if (own.status < 400) expect(own.text.replace(missing, "").includes(server.things.id), what).toBe(false);
  if (!route.path.includes(":") || isOwn) {
    if (isList && own.status === 200) expect(own.text, what).not.toContain(MARK);
    return ["403", own.status === 403 ? "403" : own.status === 404 ? "404" : ""];
  }
  // 400: give what it takes in `bodyOf`.
  expect(own.status, `${what}: ${own.text}`).toBe(404);
  // It is there, else this would say nothing.
  if (method === "GET") expect((await statusOf(server, method, path, server.scoped.admin)).status, what).toBe(200);
  return ["403", "404"];
}

/** Ids are of the whole database: of who has this one, nothing is told but that. */
function conflictIn(text: string, id: string): string {
  const said = JSON.parse(text) as { readonly items?: readonly { readonly problem: object }[] };
  const detail = `The id ${id} is that of another run`;
  expect(said.items?.[0]?.problem ?? said).toEqual({ title: "Conflict", status: 409, code: "IdConflict", detail });
  return "409";
}

/** A message to any method, and how it ends; a stream that stays open is left. */
function called(
  client: Client,
  path: string,
  token: string | undefined,
  bytes: Uint8Array = new Uint8Array(),
): Promise<StatusObject & { readonly said: string }> {
  return new Promise((resolve) => {
    const asIs = (given: Buffer): Buffer => given;
    const stream = client.makeBidiStreamRequest(path, asIs, asIs, tokenMetadata(token));
    let said = "";
    stream.on("data", (data: Buffer) => (said += data.toString("latin1")));
    stream.on("error", () => {});
    stream.on("status", (ended: StatusObject) => resolve({ ...ended, said }));
    stream.write(Buffer.from(bytes));
    stream.end();
  });
}

/** Methods for runs that have not ended. */
const LIVING = new Set(["signal", "cancel"]);
/** It is put before anyone gets it. */
const BLOB = Buffer.from("a blob");

async function calledBy(client: Client, server: Opened, name: string, path: string): Promise<string[]> {
  // Who may ask succeeds; whoever may not is told so before anything that he says is looked at.
  const said = async (token: string | undefined, mayIt = false): Promise<string> => {
    const id = mayIt && LIVING.has(name) ? await server.allowed.living() : server.things.id;
    const { code, details } = await called(client, path, token, mayIt ? messageOf(name, "default", id) : undefined);
    if (code === grpcStatus.UNAUTHENTICATED) return "401";
    if (code === grpcStatus.PERMISSION_DENIED) return "403";
    expect([mayIt, code], `${path}: ${details}`).toEqual([true, grpcStatus.OK]);
    return ALLOWED;
  };
  const none = await said(undefined);
  const dead = await Promise.all(Object.values(server.dead).map((key) => said(key)));
  expect([none, ...dead], path).toEqual(["401", "401", "401", "401"]);
  const wanted: readonly Scope[] = METHOD_SCOPES[name as keyof typeof METHOD_SCOPES];
  const may = (scope: Scope): boolean => wanted.some((each) => mayAsk(scope, each));
  const byScope: string[] = [];
  for (const each of SCOPES) byScope.push(await said(server.scoped[each], may(each)));
  expect(byScope, path).toEqual(SCOPES.map((each) => (may(each) ? ALLOWED : "403")));
  // Blobs are found by what they are, and belong to no namespace.
  if (name === "putBlob" || name === "getBlob") return [none, dead[0]!, ...byScope, "", ""];
  const elsewhere = await called(client, path, server.stranger, messageOf(name, "default", server.things.id));
  expect([elsewhere.code, elsewhere.metadata.get(CODE_METADATA_KEY)[0]], path).toEqual([
    grpcStatus.PERMISSION_DENIED,
    "WrongNamespace",
  ]);
  const foreign = await theirsOf(client, server, name, path);
  return [none, dead[0]!, ...byScope, "403", foreign];
}

/** Of a run that is there, and not in one's own namespace. */
async function theirsOf(client: Client, { stranger, things }: Opened, name: string, path: string): Promise<string> {
  if (name === "start") {
    const run = { id: things.id, type: STRANGERS_FLOW, payload: { json: '"x"' }, tags: [] };
    const request = toBinary(pb.StartRequestSchema, startRequestToProto("other", [run]));
    expect((await called(client, path, stranger, request)).said).toContain("IdConflict");
    return "409";
  }
  if (!["signal", "cancel", "watchChunks", "wait"].includes(name)) return "";
  const { code, said } = await called(client, path, stranger, messageOf(name, "other", things.id));
  // Whoever waits for many is told of each.
  if (name === "wait") expect(said).toContain("NotFound");
  else expect(code, path).toBe(grpcStatus.NOT_FOUND);
  return "404";
}

function messageOf(name: string, namespace: string, runId: string): Uint8Array {
  const json = create(pb.ValueSchema, { content: { case: "json", value: "1" } });
  const run = { id: newRunId(Date.now()), type: sums.name, payload: { json: "{}" }, tags: [] };
  const hello = { ...new RawWorker(1, {}).hello, namespace };
  const blob = { digest: blobRefOf(BLOB).digest, sizeBytes: BigInt(BLOB.length) };
  const messages: Record<string, () => Uint8Array> = {
    putBlob: () => toBinary(pb.PutBlobRequestSchema, create(pb.PutBlobRequestSchema, { blob, chunk: BLOB })),
    getBlob: () => toBinary(pb.GetBlobRequestSchema, create(pb.GetBlobRequestSchema, { blob })),
    work: () => toBinary(pb.WorkRequestSchema, workerFrameToProto({ hello })),
    register: () =>
      toBinary(
        pb.RegisterRequestSchema,
        registerRequestToProto({ namespace, workflows: registrations().slice(0, 1), actions: [] }),
      ),
    start: () => toBinary(pb.StartRequestSchema, startRequestToProto(namespace, [run])),
    signal: () =>
      toBinary(
        pb.SignalRequestSchema,
        create(pb.SignalRequestSchema, { namespace, runId, name: "a", value: json, key: crypto.randomUUID() }),
      ),
    cancel: () => toBinary(pb.CancelRequestSchema, create(pb.CancelRequestSchema, { namespace, runId })),
    wait: () => toBinary(pb.WaitRequestSchema, waitRequestToProto({ namespace, runIds: [runId] })),
    watchChunks: () => toBinary(pb.WatchChunksRequestSchema, create(pb.WatchChunksRequestSchema, { namespace, runId })),
  };
  return messages[name]!();
}

const MARKS = ["<!-- made by apps/control-plane/test/http/every-route.test.ts -->", "<!-- end -->"] as const;

function withTables(text: string): string {
  const [begin, end] = MARKS;
  const [before = "", behind = ""] = text.split(begin, 2);
  const after = behind.split(end, 2)[1] ?? "";
  return `${before}${begin}\n\n${tableOf([...rest, ...topics])}\n\n${tableOf(methods)}\n\n${end}${after}`;
}

function tableOf(rows: readonly Row[]): string {
  const line = (row: Row): string => `| ${row.join(" | ")} |`.replaceAll(/\| +(?=\|)/g, "| ");
  return [line(HEAD), `|${"---|".repeat(HEAD.length)}`, ...rows.map(line)].join("\n");
}

beforeAll(() => {
  rest = [];
  topics = [];
  methods = [];
});
