import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { pb, registerRequestToProto, startRequestToProto } from "@cairnjs/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createKeyDirectly } from "../../src/operator.ts";
import { AuditLog } from "../../src/audit/audit-log.ts";
import { Refusals } from "../../src/audit/refusals.ts";
import type { NewAuditEntry } from "../../src/store/audit-log.ts";
import { testBed, until } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";
import { testKeyOf } from "../support/test-keys.ts";
import { ask, clientMethods, connectTo, RawWorker, registrations } from "../support/test-worker.ts";
import { approved, sums } from "../workflows/basics.ts";

const TOKENS = [
  { token: "boss" },
  { token: "ann", namespace: "default", scopes: ["read" as const] },
  { token: "eve", namespace: "other" },
  { token: "reader", scopes: ["read" as const] },
];
const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const ENTRY: NewAuditEntry = {
  namespace: "default",
  who: "someone",
  keyId: null,
  action: "run.cancel",
  subject: null,
  runId: null,
  detail: "{}",
  status: 202,
  via: "rest",
  address: null,
};

describe("what is written down of requests", () => {
  it("is who was refused what, of each method, with the namespace that was wanted", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    await rest.ask("GET", "/secrets?x=1", undefined, as("ann"));
    await rest.ask("GET", "/runs?namespace=default", undefined, as("eve"));
    await rest.ask("DELETE", "/keys/a", undefined, { ...as("ann"), "cairn-namespace": "third" });
    const rows = await rest.bed.query(
      "SELECT namespace, action, subject, detail, status FROM cairn.audit_log WHERE status >= 400 ORDER BY id",
    );
    expect(rows).toEqual([
      { namespace: "default", action: "rest.get", subject: "/v1/secrets", detail: {}, status: 403 },
      { namespace: "other", action: "rest.get", subject: "/v1/runs", detail: { namespace: "default" }, status: 403 },
      { namespace: "default", action: "key.revoke", subject: "a", detail: { namespace: "third" }, status: 403 },
    ]);
  });

  it("is who was refused over gRPC, too", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const asked = async (token: string, namespace: string): Promise<void> => {
      const client = connectTo(rest.plane.port);
      const request = create(pb.StartRequestSchema, { namespace, runs: [] });
      await expect(ask(client, clientMethods["start"]!, request, token)).rejects.toBeDefined();
      client.close();
    };
    await asked("ann", "default");
    await asked("eve", "third");
    // Of who is refused for want of a scope, nothing is read, so it is not known where he wanted to be.
    await asked("reader", "third");
    const rows = (): Promise<unknown[]> =>
      rest.bed.query(
        "SELECT namespace, action, detail, status, via FROM cairn.audit_log WHERE status >= 400 ORDER BY id",
      );
    // Durable before it was answered.
    expect(await rows()).toEqual([
      { namespace: "default", action: "run.start", detail: {}, status: 403, via: "grpc" },
      { namespace: "other", action: "run.start", detail: { namespace: "third" }, status: 403, via: "grpc" },
      { namespace: "default", action: "run.start", detail: {}, status: 403, via: "grpc" },
    ]);
  });

  it("is who was refused over a WebSocket, and /metrics", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const port = rest.plane.httpPort!;
    /** What is said there first, or the status with which it is not opened. */
    const said = (token: string, query: string, message: object): Promise<unknown> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/ws${query}`, { headers: token === "" ? {} : as(token) });
        onTestFinished(() => socket.terminate());
        socket.on("error", () => {});
        socket.on("open", () => socket.send(JSON.stringify(message)));
        socket.on("message", (data) => resolve((JSON.parse((data as Buffer).toString()) as { code: unknown }).code));
        socket.on("unexpected-response", (_, { statusCode }) => resolve(statusCode));
      });
    const subscribing = { op: "subscribe", topic: "audit:*" };
    expect(await said("ann", "", subscribing)).toBe("Forbidden");
    expect(await said("reader", "?namespace=third", subscribing)).toBe("Forbidden");
    expect(await said("eve", "?namespace=default", subscribing)).toBe(403);
    expect(await said("", "?namespace=default", { op: "hello", token: "eve" })).toBe("WrongNamespace");
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { headers: as("eve") })).status).toBe(403);
    const rows = await rest.bed.query(
      "SELECT namespace, action, subject, detail, status, via, address FROM cairn.audit_log WHERE status >= 400 ORDER BY id",
    );
    const about = { status: 403, via: "rest", address: "127.0.0.1" };
    const connecting = { ...about, action: "ws.connect", subject: "/ws", detail: { namespace: "default" } };
    expect(rows).toEqual([
      { ...about, namespace: "default", action: "ws.subscribe", subject: "audit:*", detail: {} },
      { ...about, namespace: "third", action: "ws.subscribe", subject: "audit:*", detail: {} },
      { ...connecting, namespace: "other" },
      { ...connecting, namespace: "other" },
      { ...about, namespace: "other", action: "rest.get", subject: "/metrics", detail: {} },
    ]);
  });

  it("is what broke off over gRPC, before it is answered: part of it has happened", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const [first, second] = registrations();
    const client = connectTo(rest.plane.port);
    const namespace = "broken";
    const message = registerRequestToProto({ namespace, workflows: [first!, second!], actions: [] });
    message.workflows[1]!.programHash = first!.programHash;
    await expect(ask(client, clientMethods.register, message, "boss")).rejects.toMatchObject({
      code: "InvalidMessage",
    });
    const rows = (): Promise<unknown[]> =>
      rest.bed.query("SELECT action, detail, status FROM cairn.audit_log WHERE namespace = $1", namespace);
    const workflows = [first!.name, second!.name];
    const detail = { workflows, actions: 0, registered: [first!.name] };
    expect(await rows()).toEqual([{ action: "workflow.register", detail, status: 400 }]);
    // Nothing of this has happened.
    message.workflows.shift();
    await expect(ask(client, clientMethods.register, message, "boss")).rejects.toBeDefined();
    expect(await rows()).toHaveLength(1);
    const id = await rest.start(sums.name, { n: 1 });
    await rest.result(id);
    const signal = create(pb.SignalRequestSchema, {
      namespace: "default",
      runId: id,
      name: "approval",
      key: randomUUID(),
      value: { content: { case: "json", value: "1" } },
    });
    await expect(ask(client, clientMethods["signal"]!, signal, "boss")).rejects.toMatchObject({ code: "RunEnded" });
    const signals = await rest.bed.query("SELECT run_id, status, via FROM cairn.audit_log WHERE action = 'run.signal'");
    expect(signals).toEqual([{ run_id: id, status: 409, via: "grpc" }]);
    // One that something is in the way of, and one of which nothing can have happened.
    const start = (run: { id?: string; type: string }): Promise<unknown> => {
      const one = { payload: { json: "null" }, tags: [], ...run };
      return ask(client, clientMethods.start, startRequestToProto("default", [one]), "boss");
    };
    await start({ id, type: approved.name });
    await start({ type: "nothing.like.this" });
    const starts = await rest.bed.query(
      "SELECT run_id, detail, status FROM cairn.audit_log WHERE action = 'run.start' AND via = 'grpc'",
    );
    const failed = { types: [approved.name], count: 0, failed: 1 };
    expect(starts).toEqual([{ run_id: null, detail: failed, status: 409 }]);
    client.close();
  });

  it("is that a worker connected, with the secrets that it wants, however often it does so", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const key = await testKeyOf(rest.bed, ["worker"], { namespace: "shop", name: "till" });
    const [usual] = new RawWorker(1, {}).hello.actions;
    const actions = [{ ...usual!, name: "till.pay", secrets: ["stripe", "bank"] }];
    const hello = { namespace: "shop", workerId: "till-1", prefixes: ["till."], actions };
    await new RawWorker(rest.plane.port, { token: key.key, ...hello }).open();
    const rows = (): Promise<Record<string, unknown>[]> =>
      rest.bed.query(
        "SELECT who, key_id, subject, detail, status, address FROM cairn.audit_log WHERE action = 'worker.connect' AND namespace = 'shop'",
      );
    await until(async () => (await rows()).length > 0);
    expect(await rows()).toEqual([
      {
        who: expect.stringContaining("the key till ("),
        key_id: key.id,
        subject: "till-1",
        detail: { secrets: ["bank", "stripe"] },
        status: 200,
        address: expect.stringContaining("127.0.0.1"),
      },
    ]);
    const audit = new AuditLog(rest.bed.sql, () => {});
    const connects = Array.from({ length: 200 }, () =>
      audit.write({ ...ENTRY, namespace: "storm", action: "worker.connect", status: 200 }),
    );
    await Promise.all(connects);
    expect(await rest.bed.query("SELECT count(*)::int AS n FROM cairn.audit_log WHERE namespace = 'storm'")).toEqual([
      { n: 60 },
    ]);
  });

  it("is nothing of payloads, which key it was, what it has made, and where events go", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const filter = { type: [approved.name], contains: { card: "4111" }, search: "4111" };
    expect((await rest.ask("POST", "/runs/bulk", { action: "cancel", filter })).status).toBe(200);
    const { body: key } = await rest.ask("POST", "/keys", { name: "ops", scopes: ["admin"] });
    const target = {
      kind: "webhook",
      url: "https://h.example/x?key=4111",
      headers: { authorization: "4111", "x-shop": "4111" },
    };
    await rest.ask("PUT", "/subscriptions/s", { types: ["a"], target }, as(key["key"] as string));
    const { body } = await rest.ask("GET", "/audit");
    const items = body["items"] as { action: string }[];
    expect(JSON.stringify(items)).not.toContain("4111");
    expect(items.find(({ action }) => action.includes("bulk"))).toMatchObject({
      detail: { filter: { contains: "***", search: "***" } },
    });
    expect(items.find(({ action }) => action === "key.create")).toMatchObject({ subject: key["id"], keyId: null });
    expect(items.find(({ action }) => action === "subscription.set")).toMatchObject({
      keyId: key["id"],
      detail: {
        target: {
          kind: "webhook",
          url: "https://h.example/x?key=***",
          headers: { authorization: "***", "x-shop": "***" },
        },
      },
    });
  });

  it("is what was in the way of a change, since part of it may have happened; and a key that was made on the database", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 1 });
    await rest.result(id);
    expect((await rest.ask("POST", `/runs/${id}/tokens`, { signal: "approval" })).status).toBe(409);
    const { id: made } = await createKeyDirectly(
      { databaseUrl: rest.bed.url },
      { namespace: null, name: "first", scopes: ["admin"], expiresAt: null },
    );
    const { body } = await rest.ask("GET", "/audit");
    expect(body["items"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: "run.token", runId: id, status: 409 }),
        expect.objectContaining({ action: "key.create", subject: made, via: "direct", who: "the command line" }),
      ]),
    );
  });

  it("is in the timeline of a run for administrators alone", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const id = await rest.start(approved.name);
    const kinds = async (token: string): Promise<string[]> => {
      const { body } = await rest.ask("GET", `/runs/${id}/timeline`, undefined, as(token));
      return (body["items"] as { kind: string }[]).map(({ kind }) => kind);
    };
    expect(await kinds("boss")).toContain("audit");
    expect(await kinds("ann")).toContain("event");
    expect(await kinds("ann")).not.toContain("audit");
  });

  it("is not lost for another entry that Postgres does not take", async () => {
    const rest = await openRest();
    const warnings: string[] = [];
    const audit = new AuditLog(rest.bed.sql, (message) => void warnings.push(message));
    const all = Array.from({ length: 100 }, (_, index) => ({ ...ENTRY, who: index === 37 ? "\0" : "many" }));
    await Promise.all(all.map((entry) => audit.write(entry)));
    expect(await rest.bed.query("SELECT count(*)::int AS n FROM cairn.audit_log WHERE who = 'many'")).toEqual([
      { n: 99 },
    ]);
    expect(warnings).toEqual([expect.stringContaining("(1)")]);
  });
});

it("nobody fills the log by being refused: so many a minute of each, and of all of a namespace", () => {
  let now = 0;
  const refusals = new Refusals(() => now);
  const first = Array.from({ length: 100 }, () => refusals.count("one", "a"));
  expect(first.filter((each) => each === "written")).toHaveLength(59);
  expect(first[59]).toBe("last");
  expect(first.slice(60)).toEqual(Array.from({ length: 40 }, () => "left out"));
  expect(refusals.count("one", "b")).toBe("written");
  const many = Array.from({ length: 2_000 }, (_, index) => refusals.count("one", `c${index}`));
  expect(many.filter((each) => each !== "left out")).toHaveLength(1_000 - 61);
  // However many there are of one, others are written down.
  expect(refusals.count("two", "d")).toBe("written");
  // Namespaces beyond so many have one count together.
  const spread = Array.from({ length: 5_000 }, (_, index) => refusals.count(`n${index}`, `e${index}`));
  expect(spread.filter((each) => each !== "left out")).toHaveLength(998 + 1_000);
  now = 60_000;
  expect(refusals.count("one", "a")).toBe("written");
});

it("one namespace blinds nobody else's log, and what may have happened is never left out", async () => {
  const bed = await testBed();
  const audit = new AuditLog(bed.sql, () => {});
  const write = (entry: Partial<NewAuditEntry>): Promise<void> => audit.write({ ...ENTRY, ...entry });
  const flood = Array.from({ length: 3_000 }, (_, n) => write({ namespace: "loud", who: `l${n}`, status: 403 }));
  await Promise.all([
    ...flood,
    write({ namespace: "quiet", status: 403 }),
    ...Array.from({ length: 200 }, (_, n) => write({ status: n % 2 === 0 ? 409 : 500 })),
  ]);
  const counts = await bed.query("SELECT namespace, count(*)::int AS n FROM cairn.audit_log GROUP BY 1 ORDER BY 1");
  expect(counts).toEqual([
    { namespace: "default", n: 200 },
    { namespace: "loud", n: 1_000 },
    { namespace: "quiet", n: 1 },
  ]);
});
