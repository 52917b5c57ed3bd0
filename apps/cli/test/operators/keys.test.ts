import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CreatedKey, KeySummary } from "@cairnjs/schemas/rest";
import { expect, it } from "vitest";
import { testCertificate, testKey } from "../../../control-plane/test/support/test-certificate.ts";
import { createTestDatabase } from "../../../control-plane/test/support/test-database.ts";
import { cairnOnce, cairnProcess, freePorts, installedProject } from "../processes/processes.ts";
import { temporaryProject } from "../temporary-project.ts";
import { operated } from "./plane.ts";

const plane = operated({ token: "settings" });

it("cairn keys: creates, lists and revokes, over REST", async () => {
  const created = await plane.cairn("keys", "create", "ci", "--scopes", "read,operate", "--expires", "90d");
  expect(created.code).toBe(0);
  const key = created.stdout.trim();
  expect(key).toMatch(/^cairn_[a-z0-9]{8}_[A-Za-z0-9]{43}$/);
  expect(created.text).toContain("it is shown this once");
  const bound = await plane.json<CreatedKey>("keys", "create", "bill", "--scopes", "worker", "--namespace", "billing");
  expect(bound).toMatchObject({
    name: "bill",
    namespace: "billing",
    scopes: ["worker"],
    createdBy: expect.stringMatching(/^the token [0-9a-f]{4} /),
  });
  const [asKey, denied, list, billing] = await Promise.all([
    plane.cairnWith({ CAIRN_KEY: key }, "runs", "list"),
    plane.cairnWith({ CAIRN_KEY: key }, "keys", "list"),
    plane.cairn("keys", "list"),
    plane.json<{ keys: KeySummary[] }>("keys", "list", "--namespace", "billing"),
  ]);
  expect(asKey.code, asKey.text).toBe(0);
  expect(denied).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^cairn: Forbidden: This takes the scope admin/),
  });
  const prefix = key.slice(6, 14);
  expect(list.stdout).toMatch(/^KEY +NAME +NAMESPACE +SCOPES +CREATED +EXPIRES +USED/);
  expect(list.stdout).toMatch(new RegExp(`\n${prefix} +ci +\\* +read,operate +\\d+ m?s ago +in 89 d `));
  expect(billing.keys.map(({ name }) => name)).toEqual(["bill"]);
  expect(JSON.stringify(billing)).not.toContain(bound.key);
  const revoked = await plane.cairn("keys", "revoke", prefix, "--yes");
  expect(revoked).toMatchObject({ code: 0, stdout: `revoked ci (${prefix})\n` });
  const [gone, left, all, unknown, scopeless, odd, past] = await Promise.all([
    plane.cairnWith({ CAIRN_KEY: key }, "runs", "list"),
    plane.json<{ keys: KeySummary[] }>("keys", "list"),
    plane.cairn("keys", "list", "--all"),
    plane.cairn("keys", "revoke", "nobody", "--yes"),
    plane.cairn("keys", "create", "x"),
    plane.cairn("keys", "create", "x", "--scopes", "write"),
    plane.cairn("keys", "create", "x", "--scopes", "read", "--expires", "2020-01-01"),
  ]);
  expect(gone).toMatchObject({
    code: 1,
    text: "cairn: Unauthenticated: Nobody has this token or key, or it is over\n",
  });
  expect(left.keys.map(({ name }) => name)).toEqual(["bill"]);
  expect(all.stdout).toMatch(/ ci .* revoked\n/);
  expect(unknown).toMatchObject({ code: 1, text: "cairn: there is no key nobody\n" });
  expect(scopeless).toMatchObject({ code: 2, text: expect.stringContaining("--scopes says what it may do") });
  expect(odd).toMatchObject({ code: 2, text: expect.stringContaining('not "write"') });
  expect(past).toMatchObject({ code: 2, text: expect.stringContaining("--expires is a length") });
});

it("cairn keys rotate-signing: another key for wait tokens, and with --revoke an end to those from before", async () => {
  const [first, revoking] = [
    await plane.json<{ id: string; earlier: number }>("keys", "rotate-signing"),
    await plane.cairn("keys", "rotate-signing", "--revoke", "--yes"),
  ];
  expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f]{12}$/), earlier: 0 });
  expect(revoking).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^wait tokens are signed with the key [0-9a-f]{12} from now on\nthose from before are over\n$/,
    ),
  });
  const kept = await plane.cairn("keys", "rotate-signing");
  expect(kept.stdout).toMatch(/\nkept until their tokens expire: 1 earlier key\n$/);
});

it("cairn keys create --direct makes the first key in the database, and says in one line why it cannot", async () => {
  const env = { DATABASE_URL: plane.databaseUrl };
  const made = await plane.cairnWith(env, "keys", "create", "first", "--direct", "--json");
  const { key, scopes, namespace, createdBy } = JSON.parse(made.stdout) as CreatedKey;
  expect({ scopes, namespace, createdBy }).toEqual({
    scopes: ["admin", "worker"],
    namespace: null,
    createdBy: "the command line",
  });
  const used = await plane.cairnWith({ CAIRN_KEY: key }, "keys", "list", "--json");
  expect(JSON.parse(used.stdout)).toMatchObject({
    keys: expect.arrayContaining([expect.objectContaining({ name: "first" })]),
  });
  for (const [url, says] of [
    ["postgres://nobody@127.0.0.1:9/none", "No database answers"],
    ["", "There is no database in .cairn"],
  ] as const) {
    const { code, stdout, text } = await plane.cairnWith({ DATABASE_URL: url }, "keys", "create", "--direct");
    expect({ code, stdout }, text).toEqual({ code: 1, stdout: "" });
    expect(text).toContain(says);
    expect(text.trimEnd().split("\n")).toHaveLength(1);
  }
});

it("cairn start without anybody who could ask says how to make the first key, also in the Postgres that it brings", async () => {
  const folder = installedProject({});
  chmodSync(folder, 0o755);
  const [http = ""] = await freePorts(1);
  const start = cairnProcess(folder, ["start"], { GRPC_PORT: "0", API_PORT: http });
  await start.says(
    "Nobody can ask this control plane anything: there is neither a key nor a token: make the first key",
  );
  await start.says("Try next");
  const api = { CAIRN_API_URL: `http://127.0.0.1:${http}` };
  expect(await cairnOnce(folder, ["runs", "list"], api)).toMatchObject({
    code: 1,
    text: expect.stringContaining("Unauthenticated: This control plane wants a token or a key"),
  });
  const { stdout, text } = await cairnOnce(folder, ["keys", "create", "--direct"]);
  expect(stdout, text).toMatch(/^cairn_/);
  expect(await cairnOnce(folder, ["runs", "list"], { ...api, CAIRN_KEY: stdout.trim() })).toMatchObject({ code: 0 });
  start.child.kill("SIGTERM");
  expect(await start.ended).toBe(0);
});

it("cairn start with a certificate speaks TLS over HTTP, and the command line knows whom it trusts", async () => {
  const folder = temporaryProject({});
  writeFileSync(join(folder, "cert.pem"), testCertificate);
  writeFileSync(join(folder, "key.pem"), testKey);
  const [http = "", plain = ""] = await freePorts(2);
  const { url: DATABASE_URL, drop } = await createTestDatabase();
  const env = { DATABASE_URL, GRPC_PORT: "0", CAIRN_TOKEN: "t", CAIRN_TLS_CERT: "cert.pem", CAIRN_TLS_KEY: "key.pem" };
  const secured = cairnProcess(folder, ["start"], { ...env, API_PORT: http });
  const behind = cairnProcess(folder, ["start"], { ...env, API_PORT: plain, CAIRN_HTTP_TLS: "off" });
  await Promise.all([
    secured.says(`HTTP      https://127.0.0.1:${http}`),
    behind.says(`HTTP      http://127.0.0.1:${plain}`),
  ]);
  // What it says next is what works.
  await secured.says("npx cairn run TYPE --input JSON --wait --url https://127.0.0.1:");
  const [, grpcUrl = ""] = /npx cairn run TYPE --input JSON --wait --url (\S+)/.exec(secured.text())!;
  const run = await cairnOnce(folder, ["run", "no.such", "--url", grpcUrl], {
    CAIRN_TOKEN: "t",
    CAIRN_TLS_CA: "cert.pem",
  });
  expect(run).toMatchObject({ code: 1, text: expect.stringContaining("no.such") });
  const asked = { CAIRN_API_URL: `https://127.0.0.1:${http}`, CAIRN_TOKEN: "t" };
  const [trusted, unknown, other] = await Promise.all([
    cairnOnce(folder, ["keys", "create", "a", "--scopes", "read", "--json"], { ...asked, CAIRN_TLS_CA: "cert.pem" }),
    cairnOnce(folder, ["runs", "list"], asked),
    cairnOnce(folder, ["runs", "list"], { ...asked, CAIRN_API_URL: `http://127.0.0.1:${plain}` }),
  ]);
  expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('"name":"a"') });
  expect(unknown).toMatchObject({
    code: 1,
    text: expect.stringMatching(/is not trusted \(\w+\): name who .* CAIRN_TLS_CA\n$/),
  });
  expect(other).toMatchObject({ code: 0 });
  for (const { child, ended } of [secured, behind]) {
    child.kill("SIGKILL");
    await ended;
  }
  await drop();
});
