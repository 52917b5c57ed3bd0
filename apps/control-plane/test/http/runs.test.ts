import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { openRest } from "../support/test-rest.ts";
import { until } from "../support/test-engine.ts";
import { approved, retrying, sums, undone } from "../workflows/basics.ts";

describe("runs over REST", () => {
  it("are started, waited for, and looked at: what they took, did, and what became of it", async () => {
    const rest = await openRest();
    const id = newRunId(Date.now());
    const body = { id, type: sums.name, payload: { n: 3 }, tags: ["blue"], priority: 7 };
    expect(await rest.ask("POST", "/runs", body)).toMatchObject({ status: 201, body: { id, existed: false } });
    expect(await rest.ask("POST", "/runs", body)).toMatchObject({ status: 200, body: { id, existed: true } });
    expect(await rest.result(id)).toMatchObject({ status: 200, body: { id, status: "succeeded", result: 6 } });
    const { body: shown } = await rest.ask("GET", `/runs/${id}`);
    expect(shown).toMatchObject({
      ...{ id, namespace: "default", type: sums.name, status: "succeeded", phase: null, priority: 7, tags: ["blue"] },
      ...{ payload: { n: 3 }, result: 6, trace: null, deletedAt: null },
    });
    expect(shown["createdAt"]).toMatch(/^\d{4}-.*Z$/);
    const steps = await rest.ask("GET", `/runs/${id}/steps?limit=2`);
    expect(steps.body).toMatchObject({ items: [{ name: "add", args: [0, 1], result: 1 }, { result: 3 }] });
    const rest2 = await rest.ask(
      "GET",
      `/runs/${id}/steps?limit=2&cursor=${encodeURIComponent(String(steps.body["next"]))}`,
    );
    expect(rest2.body).toMatchObject({ next: null, items: [{ result: 6, attempts: [{ outcome: "succeeded" }] }] });
    expect((await rest.ask("GET", `/runs/${id}/attempts`)).body["items"]).toHaveLength(3);
    expect((await rest.ask("GET", `/runs/${id}/history`)).body["items"]).toMatchObject([
      { number: 1, kind: "start" },
      { kind: "result", superseded: false },
      { kind: "result" },
      { number: 4, kind: "result" },
    ]);
    const events = await rest.ask("GET", `/runs/${id}/events`);
    expect((events.body["items"] as { kind: string }[]).map(({ kind }) => kind)).toContain("succeeded");
    expect(rest.warnings).toEqual([]);
  });

  it("are listed, the newest first, in pages, by type, status, phase, tag and time", async () => {
    const rest = await openRest();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.unshift(await rest.start(sums.name, { n }, { tags: [`n${n}`] }));
    const waiting = await rest.start(approved.name);
    for (const id of ids) await rest.result(id);
    await until(async () => (await rest.ask("GET", `/runs/${waiting}`)).body["phase"] === "waiting");
    const list = async (query: string): Promise<string[]> => {
      const { status, body } = await rest.ask("GET", `/runs?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return (body["items"] as { id: string }[]).map(({ id }) => id);
    };
    expect(await list("")).toEqual([waiting, ...ids]);
    expect(await list(`type=${sums.name}`)).toEqual(ids);
    expect(await list("status=pending,leased")).toEqual([waiting]);
    expect(await list("status=succeeded")).toEqual(ids);
    expect(await list("phase=waiting")).toEqual([waiting]);
    expect(await list("phase=waiting&status=pending,succeeded")).toEqual([waiting]);
    expect(await list("phase=waiting&status=succeeded")).toEqual([]);
    expect(await list("tag=n2")).toEqual([ids[1]]);
    const before = new Date(Date.now() - 60_000).toISOString();
    const after = encodeURIComponent("2100-01-01T00:00:00+01:00");
    expect(await list(`since=${before}&until=${after}`)).toEqual([waiting, ...ids]);
    expect(await list(`until=${before}`)).toEqual([]);
    expect(await list("namespace=another")).toEqual([]);
    const pages: string[] = [];
    let cursor = "";
    do {
      const { body } = await rest.ask("GET", `/runs?limit=3${cursor}`);
      pages.push(...(body["items"] as { id: string }[]).map(({ id }) => id));
      cursor = body["next"] === null ? "" : `&cursor=${String(body["next"])}`;
    } while (cursor !== "");
    expect(pages).toEqual([waiting, ...ids]);
  });

  it("that fail say why and where; one that has not ended yet is answered as it is", async () => {
    const rest = await openRest();
    const failing = await rest.start(undone.name, "a");
    expect(await rest.result(failing)).toMatchObject({
      status: 200,
      body: { status: "failed", error: { $error: { message: "a failed" } }, trace: expect.any(Array) },
    });
    const waiting = await rest.start(approved.name);
    const now = await rest.ask("GET", `/runs/${waiting}/result`);
    expect(now).toMatchObject({ status: 202, body: { id: waiting } });
    expect(now.body).not.toHaveProperty("result");
    const retried = await rest.start(retrying.name, { key: newRunId(0), failures: 1 });
    await until(async () => {
      const { body } = await rest.ask("GET", `/runs/${retried}/attempts`);
      return (body["items"] as unknown[]).length > 0;
    });
    expect((await rest.ask("GET", `/runs/${retried}/attempts`)).body["items"]).toMatchObject([
      {
        attempt: 1,
        outcome: "failed",
        error: { $error: { message: expect.stringContaining("try 1") } },
        retryAt: expect.any(String),
      },
    ]);
  });
});

describe("what cannot be is a problem with a code", () => {
  it("of requests", async () => {
    const rest = await openRest();
    const unknown = newRunId(Date.now());
    const cases: [string, string, unknown, number, string, string][] = [
      ["GET", `/runs/${unknown}`, undefined, 404, "NotFound", unknown],
      ["GET", "/runs/none", undefined, 404, "NotFound", "There is no run none"],
      ["GET", "/nothing", undefined, 404, "NotFound", "There is no GET /v1/nothing"],
      ["PUT", "/runs", {}, 405, "MethodNotAllowed", "PUT /v1/runs"],
      ["POST", "/runs", { type: "a.b" }, 404, "UnknownType", "Nothing is registered as a.b"],
      ["POST", "/runs", { type: sums.name, payload: { n: "x" } }, 400, "InvalidInput", '"n": expected number'],
      ["POST", "/runs", { type: sums.name, payload: { $date: "x" } }, 400, "InvalidInput", "is not a value"],
      ["POST", "/runs", {}, 400, "InvalidMessage", "type: must be a text"],
      ["POST", "/runs", { type: "a", payloads: 1 }, 400, "InvalidMessage", 'body: does not take "payloads"'],
      ["POST", "/runs", { type: "a", tags: [1] }, 400, "InvalidMessage", "tags.0: must be a text"],
      ["POST", "/runs", { type: "a", runAt: "tomorrow" }, 400, "InvalidMessage", "runAt: must be a time"],
      ["POST", "/runs", { type: "a", id: "x" }, 400, "InvalidMessage", "id: must be a UUID"],
      ["POST", "/runs", { type: sums.name, id: newRunId(0) }, 400, "InvalidId", "of the last day"],
      ["POST", "/runs", "{", 400, "InvalidMessage", "JSON"],
      ["POST", "/runs", "[]", 400, "InvalidMessage", "body: "],
      ["POST", "/runs", `{"type":"a","payload":${"[".repeat(200_000)}${"]".repeat(200_000)}}`, 400, "", "deep"],
      ["GET", "/runs?limit=0", undefined, 400, "InvalidMessage", "limit: must be a whole number from 1 to 1000"],
      ["GET", "/runs?cursor=x", undefined, 400, "InvalidMessage", "The cursor is not one"],
      ["GET", "/runs?status=gone", undefined, 400, "InvalidMessage", "status.0: must be one of pending"],
      ["GET", "/runs?namespace=%20", undefined, 400, "InvalidMessage", "namespace: must have"],
      ["GET", "/runs?what=1", undefined, 400, "InvalidMessage", 'querystring: does not take "what"'],
      ["GET", `/runs/${"x".repeat(7_000)}`, undefined, 414, "InvalidMessage", "max param length"],
      ["GET", "/runs/%ff", undefined, 400, "InvalidMessage", "not a valid url"],
      ["GET", `/runs/${unknown}/result?waitMs=9999999`, undefined, 400, "InvalidMessage", "waitMs"],
    ];
    for (const [method, path, body, status, code, says] of cases) {
      const answer = await rest.ask(method, path, body);
      expect(answer, `${method} ${path.slice(0, 80)}`).toMatchObject({
        status,
        type: expect.stringContaining("application/problem+json"),
        body: { status, title: expect.any(String), detail: expect.stringContaining(says) },
      });
      if (code !== "") expect(answer.body["code"]).toBe(code);
    }
    // Once, though more than one thing is wrong with it.
    expect((await rest.ask("GET", "/runs?since=yesterday")).body).toMatchObject({
      detail: "since: must be a time such as 2026-11-15T21:30:00Z",
    });
    const large = await rest.ask("POST", "/runs", { type: "a", payload: "x".repeat(17 * 1024 * 1024) });
    expect(large).toMatchObject({ status: 413, body: { code: "PayloadTooLarge" } });
    const xml = await rest.ask("POST", "/runs", "<run/>", { "content-type": "text/xml" });
    expect(xml).toMatchObject({ status: 415, body: { code: "UnsupportedMediaType" } });
    expect(rest.warnings).toEqual([]);
  });

  it("of who may ask, where there are tokens; runs of other namespaces are not there", async () => {
    const tokens = [{ token: "all" }, { token: "one", namespace: "billing" }];
    const rest = await openRest({ tokens, token: "all" });
    const id = await rest.start(approved.name);
    const as = (token: string, more = {}) => ({ authorization: `Bearer ${token}`, ...more });
    expect(await rest.ask("GET", "/runs", undefined, { authorization: "" })).toMatchObject({ status: 401 });
    expect(await rest.ask("GET", "/runs", undefined, as("none"))).toMatchObject({
      status: 401,
      body: { code: "Unauthenticated", detail: expect.stringContaining("Nobody has this token") },
    });
    expect(await rest.ask("GET", `/runs/${id}`, undefined, as("one"))).toMatchObject({ status: 404 });
    expect(await rest.ask("GET", "/runs", undefined, as("one"))).toMatchObject({ status: 200, body: { items: [] } });
    expect(await rest.ask("GET", "/runs?namespace=default", undefined, as("one"))).toMatchObject({
      status: 403,
      body: { code: "WrongNamespace" },
    });
    const elsewhere = { "cairn-namespace": "billing" };
    expect(await rest.ask("GET", `/runs/${id}`, undefined, as("all", elsewhere))).toMatchObject({ status: 404 });
    expect(await rest.ask("GET", `/runs/${id}`, undefined, as("all"))).toMatchObject({ status: 200 });
    expect(await rest.ask("GET", "/health", undefined, { authorization: "" })).toMatchObject({ status: 401 });
    expect(await rest.ask("GET", "/health")).toMatchObject({ status: 200, body: { ready: true } });
  });
});
