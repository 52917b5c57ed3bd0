import { randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { type MasterKey, type MasterKeys, parseMasterKey } from "../../src/secrets/master-keys.ts";
import { SecretStore } from "../../src/secrets/secret-store.ts";
import { dumpTables, formsOf } from "../support/dump-tables.ts";
import { openWorker } from "../support/open-worker.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { until } from "../support/test-engine.ts";
import { seen, signIn, signingIn, spilling, wants } from "../workflows/secretive.ts";

const masterKey = (): string => randomBytes(32).toString("base64");

async function restWithKey(options: Parameters<typeof openRest>[0] = {}): Promise<RestBed> {
  return openRest({ secrets: { masterKey: masterKey() }, ...options });
}

describe("secrets over REST", () => {
  it("are set, listed and removed, and their values told by nothing", async () => {
    const rest = await restWithKey();
    expect(await rest.ask("PUT", "/secrets/smtp-password", { value: "hunter2-of-default" })).toMatchObject({
      status: 200,
      body: { name: "smtp-password", version: 1, changedAt: expect.any(String), changedBy: "anyone" },
    });
    await rest.ask("PUT", "/secrets/smtp-password", { value: "hunter3-of-default" });
    await rest.ask("PUT", "/secrets/api.token?namespace=other", { value: "of-other" });
    const list = await rest.ask("GET", "/secrets");
    expect(list.body).toMatchObject({ items: [{ name: "smtp-password", version: 2 }], next: null });
    expect(JSON.stringify(list.body)).not.toContain("hunter");
    expect((await rest.ask("GET", "/secrets?namespace=other")).body).toMatchObject({ items: [{ name: "api.token" }] });
    expect(await rest.ask("POST", "/secrets/rotate")).toMatchObject({
      status: 200,
      body: { secrets: 2, unreadable: [] },
    });
    expect(await rest.ask("POST", "/secrets/rewrap", { removeOld: true })).toMatchObject({
      status: 200,
      body: { masterKey: expect.stringMatching(/^[0-9a-f]{16}$/), added: 0, removed: 0 },
    });
    const long = "x".repeat(16 * 1024 + 1);
    const refusals = [
      ["PUT", "/secrets/a%2Fb", { value: "v" }, 400, "InvalidMessage", "letters, digits"],
      ["PUT", "/secrets/ok", { value: "" }, 400, "InvalidMessage", "16384 bytes"],
      ["PUT", "/secrets/ok", { value: long }, 400, "InvalidMessage", "16384 bytes"],
      ["PUT", "/secrets/ok", { value: "hunter4", more: 1 }, 400, "InvalidMessage", "more"],
      ["PUT", "/secrets/ok", { value: ["hunter4"] }, 400, "InvalidMessage", "text"],
      ["DELETE", "/secrets/none", undefined, 404, "NotFound", "no secret none in default"],
      ["DELETE", "/secrets/smtp-password?namespace=other", undefined, 404, "NotFound", "in other"],
    ] as const;
    for (const [method, path, body, status, code, detail] of refusals) {
      const answer = await rest.ask(method, path, body);
      expect(answer, `${method} ${path}`).toMatchObject({ status, body: { code } });
      expect(answer.body["detail"]).toContain(detail);
      expect(JSON.stringify(answer.body)).not.toContain("hunter");
    }
    expect(await rest.ask("DELETE", "/secrets/smtp-password")).toMatchObject({
      status: 200,
      body: { name: "smtp-password" },
    });
    expect(rest.warnings).toEqual([]);
  });

  it("are for administrators, and keys for those of all namespaces", async () => {
    const tokens = [
      { token: "all" },
      { token: "mine", namespace: "mine" },
      { token: "reads", scopes: ["read", "operate", "worker"] as const },
    ];
    const rest = await restWithKey({ tokens, token: "all" });
    const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
    expect((await rest.ask("GET", "/secrets", undefined, as("reads"))).status).toBe(403);
    expect((await rest.ask("PUT", "/secrets/x", { value: "v" }, as("reads"))).status).toBe(403);
    expect(await rest.ask("PUT", "/secrets/x", { value: "v" }, as("mine"))).toMatchObject({
      status: 200,
      body: { changedBy: expect.stringMatching(/^the token [0-9a-f]{4} of mine /) },
    });
    expect((await rest.ask("GET", "/secrets?namespace=default", undefined, as("mine"))).status).toBe(403);
    for (const path of ["/secrets/rotate", "/secrets/rewrap"]) {
      expect(await rest.ask("POST", path, undefined, as("mine"))).toMatchObject({
        status: 403,
        body: { code: "WrongNamespace" },
      });
    }
  });

  it("are not lost to who has an earlier master key and is asked to remove others: what is removed is named, also in the audit log", async () => {
    const [own, next] = [masterKey(), masterKey()];
    const rest = await openRest({ secrets: { masterKey: own } });
    await rest.ask("PUT", "/secrets/x", { value: "v" });
    const [first, second] = [own, next].map((key) => parseMasterKey("CAIRN_MASTER_KEY", key)) as [MasterKey, MasterKey];
    const other = (masters: MasterKeys): SecretStore => new SecretStore(rest.bed.sql, masters, () => 0);
    await other([second, first]).rewrap();
    expect(await rest.ask("POST", "/secrets/rewrap", { removeOld: true, masterKey: first.id })).toMatchObject({
      status: 409,
      body: { code: "WrongMasterKey", detail: expect.stringContaining(`${second.id} came later`) },
    });
    expect((await other([second]).read("default", ["x"])).get("x")).toBe("v");
    await other([first, second]).rewrap();
    expect(await rest.ask("POST", "/secrets/rewrap", { removeOld: true })).toMatchObject({
      status: 200,
      body: { masterKey: first.id, removed: 1, removedMasterKeys: [second.id], otherMasterKeys: [] },
    });
    const entries = (await rest.ask("GET", "/audit?action=secret.rewrap")).body["items"];
    expect(entries).toMatchObject([
      { status: 200, subject: first.id, detail: { removeOld: true, added: 0, removedMasterKeys: [second.id] } },
      { status: 409, detail: { removeOld: true, masterKey: first.id } },
    ]);
  });

  it("are looked at when a control plane begins: one with another master key, or none, warns", async () => {
    const rest = await restWithKey();
    await rest.ask("PUT", "/secrets/x", { value: "v" });
    for (const [secrets, code] of [
      [{ masterKey: masterKey() }, "WrongMasterKey"],
      [{}, "NoMasterKey"],
    ] as const) {
      const warnings: string[] = [];
      const onWarning = (message: string, error: unknown): void =>
        void warnings.push(`${message}: ${(error as { code?: string }).code}`);
      await openPlane(rest.bed, { secrets, onWarning });
      expect(warnings).toContain(`Secrets cannot be read here: ${code}`);
    }
    expect(rest.warnings).toEqual([]);
  });

  it("are refused without a master key, with what to do", async () => {
    const rest = await openRest();
    const answer = await rest.ask("PUT", "/secrets/x", { value: "hunter2" });
    expect(answer).toMatchObject({ status: 409, body: { code: "NoMasterKey" } });
    expect(answer.body["detail"]).toContain("CAIRN_MASTER_KEY");
    expect((await rest.ask("GET", "/secrets")).status).toBe(200);
  });
});

describe("an action's secrets", () => {
  it("come with its call, those of its namespace, and no row, export, state or warning has them", async () => {
    const rest = await restWithKey();
    openWorker(rest.plane.port, [""], { namespace: "other" });
    const value = 'p4ss"w0rd\\ of default ✓';
    await rest.ask("PUT", "/secrets/smtp-password", { value });
    await rest.ask("PUT", "/secrets/smtp-password?namespace=other", { value: "that of the other one" });
    const id = await rest.start(signingIn.name, "ada");
    expect(await rest.result(id)).toMatchObject({ body: { result: `ada, ${value.length} letters` } });
    expect(seen.get(id)).toBe(value);
    await until(async () => (await rest.bed.query("SELECT FROM cairn.worker_status")).length > 1);
    const job = await rest.ask("POST", "/runs?namespace=other", { type: signIn.name, payload: "bob" });
    const other = job.body["id"] as string;
    await rest.ask("GET", `/runs/${other}/result?waitMs=30000&namespace=other`);
    expect(seen.get(other)).toBe("that of the other one");
    const told = [await dumpTables(rest.bed), ...rest.warnings];
    for (const part of ["", "/export", "/history", "/steps", "/attempts", "/events"]) {
      told.push(JSON.stringify((await rest.ask("GET", `/runs/${id}${part}`)).body));
    }
    for (const form of [value, "that of the other one"].flatMap(formsOf)) expect(told.join("\n")).not.toContain(form);
    // One that is changed is the one that the next call has.
    await rest.ask("PUT", "/secrets/smtp-password", { value: "changed" });
    const later = await rest.start(signIn.name, "ada");
    await rest.result(later);
    expect(seen.get(later)).toBe("changed");
  });

  it("are shown as *** where it fails or logs with them", async () => {
    const lines: string[] = [];
    const write = (facts: object, message: string): void => {
      const { err } = facts as { err?: Error };
      lines.push(message, JSON.stringify(facts), String(err?.stack), JSON.stringify({ ...err }));
    };
    const rest = await restWithKey();
    openWorker(rest.plane.port, [""], {
      namespace: "logged",
      logger: { debug: write, info: write, warn: write, error: write },
    });
    const [password, token] = ["correct horse battery", "tok/en+1?="];
    for (const namespace of ["default", "logged"]) {
      await rest.ask("PUT", `/secrets/smtp-password?namespace=${namespace}`, { value: password });
      await rest.ask("PUT", `/secrets/api.token?namespace=${namespace}`, { value: token });
    }
    await until(async () => (await rest.bed.query("SELECT FROM cairn.worker_status")).length > 1);
    const started = await rest.ask("POST", "/runs?namespace=logged", { type: spilling.name, payload: "ada" });
    const id = started.body["id"] as string;
    const ended = await rest.ask("GET", `/runs/${id}/result?waitMs=30000&namespace=logged`);
    expect(JSON.stringify(ended.body)).toContain("cannot sign in with ***");
    expect(JSON.stringify(ended.body)).toContain("token=***");
    const log = lines.join("\n");
    expect(log).toContain("signing in with ***");
    expect(log).toContain("535 *** is wrong");
    expect(log).toContain('"authorization":"Bearer ***"');
    const told = `${await dumpTables(rest.bed)}\n${log}\n${rest.warnings.join("\n")}\n${JSON.stringify(ended.body)}`;
    for (const form of [password, token].flatMap(formsOf)) expect(told).not.toContain(form);
  });

  it("that are missing fail the call at once, by name, and it can be tried again when they are there", async () => {
    const rest = await restWithKey();
    const id = await rest.start(wants.name, "x");
    const ended = await rest.result(id);
    expect(JSON.stringify(ended.body)).toContain("SecretMissing");
    expect((await rest.ask("GET", `/runs/${id}`)).body).toMatchObject({
      status: "failed",
      lastError: expect.stringContaining('needs the secret "nobody-has-set-it"'),
    });
    expect((await rest.ask("GET", `/runs/${id}/attempts`)).body["items"]).toHaveLength(1);
    await rest.ask("PUT", "/secrets/nobody-has-set-it", { value: "now" });
    await rest.ask("POST", `/runs/${id}/retry`, {});
    await until(async () => (await rest.ask("GET", `/runs/${id}`)).body["status"] === "succeeded");
  });

  it("of a control plane without the key fail with what is wrong, after the tries that the action has", async () => {
    const rest = await openRest();
    const id = await rest.start(wants.name, "x");
    await rest.result(id);
    expect((await rest.ask("GET", `/runs/${id}`)).body).toMatchObject({
      status: "failed",
      lastError: expect.stringContaining("no master key"),
    });
    expect((await rest.ask("GET", `/runs/${id}/attempts`)).body["items"]).toHaveLength(3);
  });
});

describe("a subscription's secrets", () => {
  it("are those of its namespace, also for a token of that namespace, and the next ones when they are changed", async () => {
    const posts: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        posts.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const tokens = [{ token: "all" }, { token: "mine", namespace: "mine" }];
    const rest = await restWithKey({ tokens, token: "all" });
    const mine = { authorization: "Bearer mine" };
    const subscribe = (secrets: unknown): Promise<{ readonly status: number; readonly body: unknown }> =>
      rest.ask("PUT", "/subscriptions/hook", { types: ["*"], target: { kind: "webhook", url, secrets } }, mine);
    expect((await subscribe([{ env: "HOME" }])).status).toBe(403);
    expect((await subscribe([{ secret: "hook" }, { file: "/etc/passwd" }])).status).toBe(403);
    expect((await subscribe([{ secret: "hook" }])).status).toBe(200);
    const test = async (): Promise<unknown> => (await rest.ask("POST", "/subscriptions/hook/test", {}, mine)).body;
    await rest.ask("PUT", "/secrets/hook?namespace=default", { value: `whsec_${masterKey()}` });
    expect(await test()).toMatchObject({ taken: false, error: "There is no secret hook in mine" });
    for (const secret of [`whsec_${masterKey()}`, `whsec_${masterKey()}`]) {
      const revision = "SELECT revision::int FROM cairn.subscriptions";
      const before = await rest.bed.query(revision);
      await rest.ask("PUT", "/secrets/hook", { value: secret }, mine);
      // So whoever has opened a way to the subscriber opens another one.
      expect(await rest.bed.query(revision)).not.toEqual(before);
      expect(await test()).toMatchObject({ taken: true });
      const { headers, body } = posts.at(-1)!;
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: "cairn.test.v1",
      });
    }
  });
});
