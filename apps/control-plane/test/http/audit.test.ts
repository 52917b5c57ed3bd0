import { create } from "@bufbuild/protobuf";
import { pb } from "@cairnjs/protocol";
import { describe, expect, it } from "vitest";
import { tokenName } from "../../src/access/token-name.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { ask, clientMethods, connectTo } from "../support/test-worker.ts";
import { approved, sums } from "../workflows/basics.ts";

interface Entry {
  readonly id: number;
  readonly who: string;
  readonly action: string;
  readonly subject: string | null;
  readonly runId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly status: number;
}

const TOKENS = [
  { token: "boss" },
  { token: "ann", namespace: "default", scopes: ["operate" as const] },
  { token: "eve", namespace: "other" },
];

function as(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

async function entries(rest: RestBed, query = ""): Promise<Entry[]> {
  const { body } = await rest.ask("GET", `/audit?limit=1000${query}`);
  return body["items"] as Entry[];
}

describe("what is done over REST and gRPC is written down", () => {
  it("with who did it, to what, and what was said, but no values; also what was refused", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const { body } = await rest.ask("POST", "/runs", { type: approved.name, tags: ["a"] }, as("ann"));
    const id = body["id"] as string;
    const signal = { name: "approval", value: "secret of the signal" };
    await rest.ask("POST", `/runs/${id}/signal`, signal, as("ann"));
    await rest.ask("POST", `/runs/${id}/cancel`, { reason: "no need" }, as("ann"));
    await rest.ask("PUT", "/retention/runs/*", { keep: "1d" }, as("ann"));
    // What was never done is not there: a run of nobody, and a request that cannot be read.
    await rest.ask("POST", `/runs/${id.replace(/.$/, "x")}/cancel`, {}, as("ann"));
    await rest.ask("POST", "/runs", { type: 7 }, as("ann"));
    const all = await entries(rest);
    expect(
      all.filter(({ who }) => who === tokenName(TOKENS[1]!)).map(({ action, status }) => [action, status]),
    ).toEqual([
      ["retention.set", 403],
      ["run.cancel", 202],
      ["run.signal", 202],
      ["run.start", 201],
    ]);
    expect(all.find(({ action }) => action === "run.cancel")).toMatchObject({
      subject: id,
      runId: id,
      detail: { reason: "no need" },
    });
    expect(all.find(({ action }) => action === "run.start")).toMatchObject({
      runId: id,
      detail: { type: approved.name, tags: ["a"] },
    });
    // The worker has registered what it can do.
    expect(all.find(({ action }) => action === "workflow.register")).toMatchObject({
      via: "grpc",
      who: tokenName(TOKENS[0]!),
    });
    expect(JSON.stringify(await rest.bed.query("SELECT * FROM cairn.audit_log"))).not.toContain(signal.value);
    expect(rest.warnings).toEqual([]);
  });

  it("by its beginning where much was said, whichever way", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const reason = "no need ".repeat(1_000);
    const [first, second] = [await rest.start(approved.name), await rest.start(approved.name)];
    await rest.ask("POST", `/runs/${first}/cancel`, { reason });
    const client = connectTo(rest.plane.port);
    const request = create(pb.CancelRequestSchema, { namespace: "default", runId: second, reason });
    await ask(client, clientMethods.cancel, request, "boss");
    client.close();
    const detail = { truncated: JSON.stringify({ reason }).slice(0, 4_000) };
    expect(await entries(rest, "&action=run.cancel")).toMatchObject([
      { runId: second, detail, via: "grpc" },
      { runId: first, detail, via: "rest" },
    ]);
  });

  it("is found by filters, page by page in both orders, and by administrators of the namespace alone", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    for (const keep of ["1d", "2d", "3d"]) await rest.ask("PUT", "/retention/runs/*", { keep });
    await rest.ask("PUT", "/retention/runs/*", { keep: "9d" }, as("eve"));
    expect((await entries(rest, "&action=retention.*")).map(({ detail }) => detail["keep"])).toEqual([
      "3d",
      "2d",
      "1d",
    ]);
    expect((await entries(rest, "&action=retention.set&sort=at")).map(({ detail }) => detail["keep"])).toEqual([
      "1d",
      "2d",
      "3d",
    ]);
    const pages: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const { body } = await rest.ask(
        "GET",
        `/audit?limit=1&who=${encodeURIComponent(tokenName(TOKENS[0]!))}&action=retention.*${next}`,
      );
      pages.push(...(body["items"] as Entry[]).map(({ detail }) => detail["keep"]));
      cursor = body["next"] as string | null;
    }
    expect(pages).toEqual(["3d", "2d", "1d"]);
    expect(await entries(rest, "&until=2001-01-01T00:00:00Z")).toEqual([]);
    expect((await entries(rest, "&since=2001-01-01T00:00:00Z")).length).toBeGreaterThan(2);
    expect((await rest.ask("GET", "/audit", undefined, as("ann"))).status).toBe(403);
    const { body } = await rest.ask("GET", "/audit", undefined, as("eve"));
    expect((body["items"] as Entry[]).map(({ detail }) => detail["keep"])).toEqual(["9d"]);
  });

  it("is found where the thing is, whoever did it: keys of one namespace, by who is for all and names none", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const made = async (query: string): Promise<string> =>
      (await rest.ask("POST", `/keys${query}`, { name: "x", scopes: ["read"] })).body["id"] as string;
    const [theirs, everywhere] = [await made("?namespace=other"), await made("")];
    for (const id of [theirs, everywhere]) expect((await rest.ask("DELETE", `/keys/${id}`)).status).toBe(200);
    const told = async (headers: Record<string, string>): Promise<unknown[]> => {
      const { body } = await rest.ask("GET", "/audit?action=key.*&sort=at", undefined, headers);
      return (body["items"] as Entry[]).map(({ action, subject }) => [action, subject]);
    };
    expect(await told(as("eve"))).toEqual([
      ["key.create", theirs],
      ["key.revoke", theirs],
    ]);
    // What concerns all namespaces is in that of nobody else.
    expect(await told(as("boss"))).toEqual([
      ["key.create", everywhere],
      ["key.revoke", everywhere],
    ]);
  });

  it("is counted for the last hour, six hours, day and week, by the database's clock", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const age = (hours: number): Promise<unknown> =>
      rest.bed.query(`UPDATE cairn.audit_log SET at = at - interval '${hours} hours' WHERE action = 'retention.set'
        AND at > cairn.now() - interval '10 minutes'`);
    for (const hours of [100, 20, 5, 0]) {
      await rest.ask("PUT", "/retention/runs/*", { keep: "1d" });
      await rest.ask("PUT", "/retention/runs/*", { keep: "1d" }, as("ann"));
      await age(hours);
    }
    const counts = [];
    for (const window of ["1h", "6h", "24h", "7d"]) {
      const { body } = await rest.ask("GET", `/audit/summary?window=${window}`);
      const actions = body["actions"] as { action: string; done: number; refused: number }[];
      const buckets = body["buckets"] as { done: number; refused: number }[];
      expect(buckets.reduce((sum, { done, refused }) => sum + done + refused, 0)).toBe(body["total"]);
      counts.push(actions.find(({ action }) => action === "retention.set"));
    }
    expect(counts).toEqual([1, 2, 3, 4].map((done) => ({ action: "retention.set", done, refused: done })));
    expect((await rest.ask("GET", "/audit/summary?window=2h")).status).toBe(400);
  });

  it("is told in the timeline of its run, between what the run did", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    for (const by of ["ann", "bob"]) await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value: { by } });
    await rest.result(id);
    const { body } = await rest.ask("GET", `/runs/${id}/timeline?limit=1000`);
    const items = body["items"] as { kind: string; title: string; at: string }[];
    expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).toSorted());
    expect(items.map(({ kind, title }) => `${kind}: ${title}`)).toEqual(
      expect.arrayContaining([
        "event: created",
        "audit: run.start by anyone",
        "audit: run.signal by anyone",
        "input: signal approval",
        "event: succeeded",
      ]),
    );
    const some = await rest.ask("GET", `/runs/${id}/timeline?limit=1000&kind=audit&kind=event&sort=-at`);
    const kinds = (some.body["items"] as typeof items).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["audit", "event"]));
    expect(kinds).toHaveLength(items.filter(({ kind }) => kind === "audit" || kind === "event").length);
    const times = (some.body["items"] as typeof items).map(({ at }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await rest.ask("GET", `/runs/${id}/timeline?namespace=other`)).status).toBe(404);
  });

  it("goes after its time, by rules for actions", async () => {
    const retention = { audit: "0s" };
    const rest = await openRest({ retention });
    await rest.start(sums.name, { n: 1 });
    await rest.ask("PUT", "/retention/audit/retention.*", { keep: "1d" });
    await rest.bed.advance(60_000);
    const cairn = await rest.bed.open({ retention });
    // What the worker has registered is there, too.
    expect((await cairn.retention.run()).auditRemoved).toBeGreaterThan(1);
    const left = (await entries(rest)).map(({ action }) => action);
    expect(left).toContain("retention.set");
    expect(left).not.toContain("run.start");
  });

  it("stays for as long as the setting says, whatever those want who are in it", async () => {
    const rest = await openRest({ tokens: TOKENS, token: "boss" });
    const set = (keep: string, token: string): ReturnType<RestBed["ask"]> =>
      rest.ask("PUT", "/retention/audit/*", { keep }, as(token));
    expect(await set("400d", "eve")).toMatchObject({ status: 403, body: { code: "WrongNamespace" } });
    expect((await rest.ask("DELETE", "/retention/audit/*", undefined, as("eve"))).status).toBe(403);
    expect(await set("0s", "boss")).toMatchObject({
      status: 400,
      body: { detail: "What was done is kept for 365d at least: CAIRN_RETENTION_AUDIT" },
    });
    expect((await set("400d", "boss")).status).toBe(200);
    // One of another day, when the setting was another one.
    await rest.bed.query("UPDATE cairn.retention SET keep_ms = 0 WHERE what = 'audit'");
    await rest.bed.advance(60_000);
    const cairn = await rest.bed.open();
    expect((await cairn.retention.run()).auditRemoved).toBe(0);
  });
});
