import { registerRequestToProto } from "@cairnjs/protocol";
import { expect, it } from "vitest";
import { FailedAccess } from "../../src/access/failed-access.ts";
import { Unknown } from "../../src/access/unknown.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { type TestBed, testBed } from "../support/test-engine.ts";
import { testKeyOf } from "../support/test-keys.ts";
import { ask as askGrpc, clientMethods, connectTo } from "../support/test-worker.ts";

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
const WRONG = `cairn_abcdefgh_${"x".repeat(43)}`;

async function opened() {
  const bed = await testBed();
  const warnings: string[] = [];
  const onWarning = (message: string, error: unknown): void => {
    warnings.push(`${message}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const tokens = [{ token: "a-token-of-the-settings" }];
  const plane = await openPlane(bed, { listen, tokens, onWarning });
  const url = `http://127.0.0.1:${plane.httpPort}`;
  const me = async (key: string): Promise<number> =>
    (await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
  const login = async (key: string): Promise<number> => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${url}/v1/login`, { method: "POST", headers, body: JSON.stringify({ key }) })).status;
  };
  const refusedCounts = async (): Promise<Record<string, number>> => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${tokens[0]!.token}` } });
    const lines = (await answer.text()).matchAll(/^cairn_access_refused_total\{reason="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries(Array.from(lines, ([, reason, count]) => [reason!, Number(count)]));
  };
  return { bed, plane, warnings, me, login, refusedCounts };
}

function entries(bed: TestBed): Promise<Record<string, unknown>[]> {
  return bed.query(
    "SELECT namespace, who, key_id, action, subject, detail, status, via, address FROM cairn.audit_log ORDER BY id",
  );
}

it("keys that are over leave an entry with the address and why, in the log of their namespace, over REST and gRPC", async () => {
  const { bed, plane, me, login, refusedCounts, warnings } = await opened();
  const expired = await testKeyOf(bed, ["read"], { namespace: "billing", name: "old" });
  const revoked = await testKeyOf(bed, ["admin", "worker"], { name: "lost" });
  await bed.query("UPDATE cairn.api_keys SET expires_at = cairn.now() WHERE id = $1", expired.id);
  await bed.query("UPDATE cairn.api_keys SET revoked_at = cairn.now() WHERE id = $1", revoked.id);
  expect(await me(expired.key)).toBe(401);
  expect(await login(revoked.key)).toBe(401);
  const register = registerRequestToProto({ namespace: "default", workflows: [], actions: [] });
  const over = askGrpc(connectTo(plane.port), clientMethods.register, register, revoked.key);
  await expect(over).rejects.toMatchObject({ code: "Unauthenticated" });
  const about = { action: "access.refused", status: 401, address: "127.0.0.1" };
  const lost = {
    ...about,
    namespace: "default",
    who: `the key lost (${revoked.key.slice(6, 14)})`,
    key_id: revoked.id,
    subject: revoked.id,
    detail: { prefix: revoked.key.slice(6, 14), why: "revoked" },
  };
  expect(await entries(bed)).toEqual([
    {
      ...about,
      namespace: "billing",
      who: `the key old (${expired.key.slice(6, 14)})`,
      key_id: expired.id,
      subject: expired.id,
      detail: { prefix: expired.key.slice(6, 14), why: "expired" },
      via: "rest",
    },
    { ...lost, via: "rest" },
    { ...lost, via: "grpc" },
  ]);
  expect(await refusedCounts()).toMatchObject({ expired: 1, revoked: 2, wrong: 0 });
  expect(warnings).toEqual([]);
});

it("what nobody has is counted, and warned of with the address, once a minute; so are addresses that are locked out", async () => {
  const { bed, me, login, refusedCounts, warnings } = await opened();
  // Who was right before is not locked out with the others of his address.
  expect(await refusedCounts()).toMatchObject({ wrong: 0 });
  const statuses = [await me(WRONG), await login("guess")];
  while (statuses.length < 60 && statuses.at(-1) !== 429) statuses.push(await me(`guess-${statuses.length}`));
  expect(statuses.at(-1)).toBe(429);
  const wrong = statuses.filter((each) => each === 401).length;
  const counted = Object.entries(await refusedCounts()).filter(([, count]) => count > 0);
  expect(Object.fromEntries(counted)).toEqual({ locked_out: 1, wrong });
  expect(await entries(bed)).toEqual([]);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toMatch(/^Someone was refused.*127\.0\.0\.1/);
  expect(warnings[1]).toMatch(/locked out.*127\.0\.0\.1/);
  expect(warnings.join()).not.toContain("guess");
});

it("the next warning says how many there were since the last one", async () => {
  let now = 0;
  const warnings: string[] = [];
  const failed = new FailedAccess({
    write: () => Promise.resolve(),
    warn: (message, error) => void warnings.push(`${message}: ${String(error)}`),
    now: () => now,
  });
  const asking = (ip: string): { ip: string; credential: string } => ({ ip, credential: "x" });
  for (let n = 0; n < 100; n++) await failed.note(asking("10.0.0.1"), new Unknown("wrong"));
  expect(warnings).toHaveLength(1);
  now = 60_000;
  await failed.note(asking("10.0.0.2"), new Unknown("wrong"));
  expect(warnings).toHaveLength(2);
  expect(warnings[1]).toContain("100 times");
  expect(warnings[1]).toContain("10.0.0.2");
});
