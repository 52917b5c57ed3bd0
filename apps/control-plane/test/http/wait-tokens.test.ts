import { describe, expect, it } from "vitest";
import { sweepMail } from "../../src/store/mail.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved } from "../workflows/basics.ts";

interface Made {
  readonly token: string;
  readonly url: string;
}

async function made(rest: RestBed, id: string, body: object): Promise<Made> {
  const { status, body: answer } = await rest.ask("POST", `/runs/${id}/tokens`, body);
  expect(status, JSON.stringify(answer)).toBe(201);
  return answer as unknown as Made;
}

const page = { headers: { accept: "text/html,*/*" } };

describe("a token for a signal", () => {
  it("sends it once, with the value that it says, to whoever has nothing else", async () => {
    const rest = await openRest({ tokens: [{ token: "t" }], token: "t" });
    const id = await rest.start(approved.name);
    const { url } = await made(rest, id, { signal: "approval", value: { by: "ann" } });
    expect(await (await fetch(url)).json()).toMatchObject({ signal: "approval", runId: id, hasValue: true });
    expect((await fetch(url, { method: "POST" })).status).toBe(202);
    const again = await fetch(url, { method: "POST" });
    expect([again.status, await again.json()]).toEqual([202, { runId: id, signal: "approval", existed: true }]);
    await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value: 2 });
    expect((await rest.result(id)).body).toMatchObject({ status: "succeeded", result: [{ by: "ann" }, 2] });
    expect(
      await rest.bed.query("SELECT FROM cairn.run_events WHERE kind IN ('signalled', 'undelivered')"),
    ).toHaveLength(2);
    const [entry] = await rest.bed.query<{ who: string; run_id: string }>(
      "SELECT who, run_id FROM cairn.audit_log WHERE action = 'run.signal' ORDER BY id LIMIT 1",
    );
    expect(entry).toEqual({ who: "a wait token", run_id: id });
    const log = JSON.stringify(await rest.bed.query("SELECT * FROM cairn.audit_log"));
    expect(log).not.toContain(url.split("/").at(-1));
  });

  it("is a page with a button in a browser: opening it sends nothing, pressing it does", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    const { url } = await made(rest, id, { signal: "approval" });
    const opened = await fetch(url, page);
    expect(opened.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await opened.text()).toContain('<form method="post">');
    expect(await rest.bed.query("SELECT FROM cairn.sent_letters")).toEqual([]);
    const form = { "content-type": "application/x-www-form-urlencoded", ...page.headers };
    const pressed = await fetch(url, { method: "POST", headers: form, body: "" });
    expect([pressed.status, pressed.headers.get("content-type")]).toEqual([202, "text/html; charset=utf-8"]);
    expect(await pressed.text()).toContain("was sent");
    // Who says something else by a form of his own is not told that it was sent.
    const other = await fetch(url, { method: "POST", headers: form, body: "decision=reject" });
    expect([other.status, await other.text()]).toEqual([409, expect.stringContaining("This did not work")]);
    await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value: 2 });
    expect((await rest.result(id)).body).toMatchObject({ status: "succeeded" });
    const late = await made(rest, await rest.start(approved.name), { signal: '<b>&"', expiresInMs: 1_000 });
    expect(await (await fetch(late.url, page)).text()).not.toContain("<b>");
    await rest.bed.advance(2_000);
    const over = await fetch(late.url, { method: "POST", headers: form, body: "" });
    expect([over.status, await over.text()]).toEqual([410, expect.stringContaining("This did not work")]);
  });

  it("takes what a webhook posts as the value, if it has none, and only then", async () => {
    const rest = await openRest();
    const post = (url: string, type: string | null, body: string): Promise<Response> =>
      fetch(url, { method: "POST", headers: type === null ? {} : { "content-type": type }, body });
    const form = "application/x-www-form-urlencoded";
    const posted: [type: string | null, body: string, value: unknown][] = [
      ["application/json", '{"event":"done","name":"secret"}', { event: "done", name: "secret" }],
      ["application/json; charset=utf-8", "null", null],
      ["application/json", "[1,[2]]", [1, [2]]],
      ["application/json", "", { $undefined: true }],
      ["application/cloudevents+json", '{"$schema":"x"}', { $object: { $schema: "x" } }],
      [form, "a=b&c=d+e%C3%A9&a=f&__proto__=x", JSON.parse('{"a":["b","f"],"c":"d eé","__proto__":"x"}')],
      [form, "", { $undefined: true }],
      ["text/plain", "paid", "paid"],
      [null, "", { $undefined: true }],
    ];
    for (const [type, body, value] of posted) {
      const id = await rest.start(approved.name);
      const { url } = await made(rest, id, { signal: "approval" });
      const answer = await post(url, type, body);
      expect([answer.status, await answer.json()], body).toEqual([202, expect.objectContaining({ existed: false })]);
      await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value: 2 });
      expect((await rest.result(id)).body, body).toMatchObject({ result: [value, 2] });
    }
    const log = JSON.stringify(await rest.bed.query("SELECT detail FROM cairn.audit_log WHERE action = 'run.signal'"));
    expect(log).not.toContain("secret");
    const id = await rest.start(approved.name);
    const { url } = await made(rest, id, { signal: "approval" });
    const wrong: [type: string, body: string, status: number][] = [
      ["application/xml", "<a/>", 415],
      ["multipart/form-data; boundary=x", "--x--", 415],
      ["application/json", "{", 400],
      ["application/json", "[".repeat(100_000) + "]".repeat(100_000), 400],
      [form, "a&".repeat(2_000), 400],
    ];
    for (const [type, body, status] of wrong) expect((await post(url, type, body)).status, type).toBe(status);
    const fixed = await made(rest, id, { signal: "approval", value: null });
    expect((await post(fixed.url, "application/json", '"mine"')).status).toBe(400);
    expect((await post(fixed.url, form, "a=b")).status).toBe(400);
    expect(
      await rest.bed.query("SELECT FROM cairn.sent_letters AS l, cairn.mailbox AS m WHERE m.run_id = $1", id),
    ).toEqual([]);
    await rest.ask("POST", `/runs/${id}/cancel`);
    await rest.result(id);
    expect((await post(fixed.url, null, "")).status).toBe(409);
    expect((await rest.ask("POST", `/runs/${id}/tokens`, { signal: "approval" })).status).toBe(409);
    expect(rest.warnings).toEqual([]);
  });

  it("that was used says so, and asks nobody to send it; one that is over says that to a person as a page", async () => {
    const rest = await openRest();
    const { url } = await made(rest, await rest.start(approved.name), { signal: "approval", expiresInMs: 60_000 });
    expect(await (await fetch(url)).json()).toMatchObject({ isUsed: false });
    await fetch(url, { method: "POST" });
    expect(await (await fetch(url)).json()).toMatchObject({ isUsed: true });
    const text = await (await fetch(url, page)).text();
    expect(text).toContain("was sent");
    expect(text).not.toContain("<form");
    await rest.bed.advance(61_000);
    const over = await fetch(url, page);
    expect([over.status, over.headers.get("content-type")]).toEqual([410, "text/html; charset=utf-8"]);
  });

  it("is used once for as long as it is valid, and then no more", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    const { url } = await made(rest, id, { signal: "unheard", expiresInMs: 86_400_000 });
    await fetch(url, { method: "POST" });
    await rest.bed.advance(20 * 3_600_000);
    // Keys of other letters would be forgotten by now.
    await sweepMail(rest.bed.sql);
    expect(await rest.bed.query("SELECT FROM cairn.sent_letters")).toHaveLength(1);
    expect(await (await fetch(url, { method: "POST" })).json()).toMatchObject({ existed: true });
    await rest.bed.advance(5 * 3_600_000);
    expect((await fetch(url, { method: "POST" })).status).toBe(410);
  });

  it("sends one value: with another one it is refused, and the same again is no mistake", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    const { url } = await made(rest, id, { signal: "approval" });
    const send = (value: unknown): Promise<Response> =>
      fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ value }) });
    expect((await send("yes")).status).toBe(202);
    const other = await send("no");
    expect([other.status, await other.json()]).toMatchObject([409, { code: "IdempotencyConflict" }]);
    expect(await (await send("yes")).json()).toMatchObject({ existed: true });
    // Who presses the button then, without a value, is told what whoever opens the page is.
    const form = { "content-type": "application/x-www-form-urlencoded", ...page.headers };
    const pressed = await fetch(url, { method: "POST", headers: form, body: "" });
    expect([pressed.status, await pressed.text()]).toEqual([202, await (await fetch(url, page)).text()]);
  });

  it("fills no log: what it was used for is written down, and of what changes nothing so much a minute", async () => {
    const rest = await openRest();
    const [id, ended] = [await rest.start(approved.name), await rest.start(approved.name)];
    const [used, late] = [
      await made(rest, id, { signal: "approval" }),
      await made(rest, ended, { signal: "approval" }),
    ];
    await rest.ask("POST", `/runs/${ended}/cancel`, {});
    await rest.result(ended);
    const send = async (url: string, value: number): Promise<number> => {
      const headers = { "content-type": "application/json" };
      return (await fetch(url, { method: "POST", headers, body: String(value) })).status;
    };
    expect(await send(used.url, 0)).toBe(202);
    const times = Array.from({ length: 70 }, () => [send(used.url, 0), send(used.url, 1), send(late.url, 0)]);
    expect(new Set(await Promise.all(times.flat()))).toEqual(new Set([202, 409]));
    const rows = await rest.bed.query(
      `SELECT run_id, status, count(*)::int AS n, count(detail->>'others')::int AS last
      FROM cairn.audit_log WHERE action = 'run.signal' GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(rows).toEqual([
      { run_id: id, status: 202, n: 61, last: 1 },
      { run_id: id, status: 409, n: 60, last: 1 },
      { run_id: ended, status: 409, n: 60, last: 1 },
    ]);
  });

  it("that was changed in any letter is none; nor is one of another database", async () => {
    const [rest, other] = [await openRest(), await openRest()];
    const id = await rest.start(approved.name);
    const { token } = await made(rest, id, { signal: "approval" });
    for (let at = 0; at < token.length; at += 3) {
      const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      const { status } = await rest.ask("POST", `/tokens/${changed}`);
      // The last letter of base64 has bits that say nothing.
      if (at < token.length - 1) expect(status, `${at}`).toBe(404);
    }
    expect((await other.ask("GET", `/tokens/${token}`)).status).toBe(404);
    expect((await rest.ask("POST", `/tokens/${token}`, "x".repeat(1024 * 1024 + 1))).status).toBe(413);
    expect((await rest.ask("POST", `/runs/${id}/tokens`, { signal: "a", value: "x".repeat(3_000) })).status).toBe(413);
    expect((await rest.ask("POST", `/runs/${id}/tokens?namespace=other`, { signal: "a" })).status).toBe(404);
  });

  it("is signed by a key that is encrypted when there is a master key, rotated and revoked; all of it is written down", async () => {
    const tokens = [{ token: "t" }, { token: "b", namespace: "billing" }];
    const rest = await openRest({ tokens, token: "t" });
    const id = await rest.start(approved.name);
    const first = await made(rest, id, { signal: "approval" });
    const secrets = { masterKey: Buffer.alloc(32, 7).toString("base64") };
    const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
    const other = await openPlane(rest.bed, { listen, tokens, secrets });
    expect(await rest.bed.query("SELECT FROM cairn.signing_keys WHERE plain IS NOT NULL")).toEqual([]);
    const asked = async (method: string, path: string, body?: object, token = "t"): Promise<[number, unknown]> => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const said = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`http://127.0.0.1:${other.httpPort}/v1${path}`, { method, headers, ...said });
      return [response.status, await response.json()];
    };
    const status = async (token: string): Promise<number> => (await asked("GET", `/tokens/${token}`))[0];
    expect(await status(first.token)).toBe(200);
    expect((await asked("POST", "/signing-key/rotate", {}, "b"))[0]).toBe(403);
    const [, rotated] = await asked("POST", "/signing-key/rotate", {});
    expect(rotated).toEqual({ id: expect.stringMatching(/^[0-9a-f]{12}$/), earlier: 1 });
    const second = (await asked("POST", `/runs/${id}/tokens`, { signal: "approval" }))[1] as Made;
    expect([await status(first.token), await status(second.token)]).toEqual([200, 200]);
    expect(await asked("POST", "/signing-key/rotate", { revoke: true })).toMatchObject([200, { earlier: 0 }]);
    expect([await status(first.token), await status(second.token)]).toEqual([404, 404]);
    const entries = await rest.bed.query<{ action: string; who: string; status: number; detail: object }>(
      "SELECT action, who, status, detail FROM cairn.audit_log WHERE action LIKE 'signing-key.%' ORDER BY id",
    );
    expect(entries).toMatchObject([
      { action: "signing-key.create", who: "the token 8aba (all scopes)", status: 201 },
      { action: "signing-key.encrypt", who: `the control plane ${other.id}`, status: 200 },
      { action: "signing-key.rotate", who: "the token 4a03 of billing (all scopes)", status: 403 },
      { action: "signing-key.rotate", who: "the token 8aba (all scopes)", status: 200 },
      { action: "signing-key.rotate", detail: { revoke: true } },
    ]);
    // Without the master key: it says so when it starts, and to whoever makes one.
    const late: string[] = [];
    await openPlane(rest.bed, { listen, tokens, onWarning: (message) => late.push(message) });
    expect(late).toContain("Wait tokens cannot be made or used here");
    expect((await rest.ask("POST", `/runs/${id}/tokens`, { signal: "approval" })).body).toMatchObject({
      code: "NoMasterKey",
    });
  });
});
