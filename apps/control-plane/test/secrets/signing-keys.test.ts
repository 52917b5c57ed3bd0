import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { WaitTokens } from "../../src/access/wait-tokens.ts";
import { type MasterKeys, parseMasterKey } from "../../src/secrets/master-keys.ts";
import { SecretStore } from "../../src/secrets/secret-store.ts";
import { dumpTables } from "../support/dump-tables.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

const KEPT_MS = 86_400_000;
const grant = {
  namespace: "default",
  runId: "01a1e117-9295-798b-8091-0c70e9ba8d64",
  signal: "approval",
  expiresAtMs: 1e15,
  value: null,
};

function newKey(): MasterKeys {
  return [parseMasterKey("CAIRN_MASTER_KEY", randomBytes(32).toString("base64"))];
}

interface Process {
  readonly store: SecretStore;
  readonly tokens: WaitTokens;
  /** Its clock. */
  pass(ms: number): void;
}

/** As one of several control planes. */
function processOf(bed: StoreBed, masters: MasterKeys | null): Process {
  let time = 0;
  const store = new SecretStore(bed.client, masters, () => time);
  return { store, tokens: new WaitTokens(store.signingKeys), pass: (ms) => (time += ms) };
}

async function made({ tokens }: Process): Promise<string> {
  return (await tokens.issue(grant)).token;
}

/** Whether it is taken, or why not. */
async function taken({ tokens }: Process, token: string): Promise<string> {
  try {
    return (await tokens.read(token, async () => 0)).signal;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** All keys that are in use, as this process reads them. */
async function bytesOf(bed: StoreBed, { store }: Process): Promise<Buffer[]> {
  const rows = await bed.query<{ id: string }>("SELECT id FROM cairn.signing_keys");
  return Promise.all(rows.map(async ({ id }) => (await store.signingKeys.find(id))!.bytes));
}

async function plainIn(bed: StoreBed, keys: readonly Buffer[]): Promise<boolean> {
  const dump = await dumpTables(bed);
  return keys.some((key) => dump.includes(key.toString("hex")) || dump.includes(key.toString("latin1")));
}

describe("the key that tokens are signed with", () => {
  it("is encrypted where there is a master key: no table has it plain", async () => {
    const bed = await storeBed();
    const [one, other] = [processOf(bed, null), processOf(await storeBed(), null)];
    const master = newKey();
    const sealing = processOf(bed, master);
    const token = await made(sealing);
    await sealing.store.signingKeys.rotate(KEPT_MS);
    const keys = await bytesOf(bed, sealing);
    expect(keys).toHaveLength(2);
    expect(await plainIn(bed, keys)).toBe(false);
    expect(await taken(processOf(bed, master), token)).toBe("approval");
    // Who has no master key makes no plain one beside it, and does not tell strangers why.
    expect(await taken(one, token)).toBe("Unavailable");
    await expect(made(one)).rejects.toMatchObject({ code: "NoMasterKey" });
    await expect(one.store.signingKeys.rotate(null)).rejects.toMatchObject({ code: "NoMasterKey" });
    await expect(made(processOf(bed, newKey()))).rejects.toMatchObject({ code: "WrongMasterKey" });
    expect(await taken(other, token)).toBe("NotFound");
  });

  it("that was plain is encrypted by the next process with a master key, and its tokens stay valid", async () => {
    const bed = await storeBed();
    const before = processOf(bed, null);
    const token = await made(before);
    await before.store.signingKeys.rotate(KEPT_MS);
    const keys = await bytesOf(bed, before);
    expect(await plainIn(bed, keys)).toBe(true);
    expect(await before.store.signingKeys.protect()).toEqual([]);
    const sealing = processOf(bed, newKey());
    expect(await sealing.store.signingKeys.protect()).toHaveLength(2);
    expect(await sealing.store.signingKeys.protect()).toEqual([]);
    expect(await plainIn(bed, keys)).toBe(false);
    expect(await taken(sealing, token)).toBe("approval");
    before.pass(2_000);
    await expect(before.store.signingKeys.protect()).rejects.toMatchObject({ code: "NoMasterKey" });
  });

  it("is followed by another one: tokens from before are valid until it is revoked, at other processes two seconds later", async () => {
    const bed = await storeBed();
    const master = newKey();
    const [one, other] = [processOf(bed, master), processOf(bed, master)];
    const first = await made(one);
    expect(await taken(other, first)).toBe("approval");
    expect(await one.store.signingKeys.rotate(KEPT_MS)).toMatchObject({ earlier: 1 });
    const second = await made(one);
    expect(second.slice(0, 21)).not.toBe(first.slice(0, 21));
    // It has not heard of the new key yet, and looks for it.
    expect([await taken(other, first), await taken(other, second)]).toEqual(["approval", "approval"]);
    expect((await made(other)).slice(0, 21)).toBe(second.slice(0, 21));
    expect(await other.store.signingKeys.rotate(null)).toMatchObject({ earlier: 0 });
    expect([await taken(other, first), await taken(other, second)]).toEqual(["NotFound", "NotFound"]);
    one.pass(2_000);
    expect([await taken(one, first), await taken(one, second)]).toEqual(["NotFound", "NotFound"]);
    expect(await taken(one, await made(other))).toBe("approval");
    expect(await bed.query("SELECT FROM cairn.signing_keys")).toHaveLength(1);
  });

  it("is removed when nothing that it signed can be valid any more", async () => {
    const bed = await storeBed();
    const one = processOf(bed, newKey());
    await made(one);
    await one.store.signingKeys.rotate(KEPT_MS);
    await bed.query("UPDATE cairn.signing_keys SET retired_at = retired_at - interval '25 hours'");
    expect(await one.store.signingKeys.rotate(KEPT_MS)).toMatchObject({ earlier: 1 });
  });

  it("is one, of however many processes make the first or rotate at the same moment", async () => {
    const bed = await storeBed();
    const master = newKey();
    const processes = Array.from({ length: 6 }, () => processOf(bed, master));
    const issued = await Promise.all(processes.map(({ tokens }) => tokens.issue(grant)));
    expect(issued.filter(({ newKey: key }) => key !== null)).toHaveLength(1);
    expect(new Set(issued.map(({ token }) => token.slice(0, 21))).size).toBe(1);
    await Promise.all(processes.map(({ store }) => store.signingKeys.rotate(KEPT_MS)));
    expect(await bed.query("SELECT FROM cairn.signing_keys WHERE retired_at IS NULL")).toHaveLength(1);
    expect(await bed.query("SELECT FROM cairn.signing_keys")).toHaveLength(7);
  });

  it("stays readable when data keys and master keys are changed", async () => {
    const bed = await storeBed();
    const [[old], [fresh]] = [newKey(), newKey()];
    const one = processOf(bed, [old]);
    const token = await made(one);
    await one.store.set("default", "x", "1", "");
    await one.store.rotate();
    expect(await bed.query("SELECT DISTINCT id FROM cairn.data_keys")).toHaveLength(1);
    expect(await taken(processOf(bed, [old]), token)).toBe("approval");
    await processOf(bed, [fresh, old]).store.rewrap({ removeOld: true });
    expect(await taken(processOf(bed, [fresh]), token)).toBe("approval");
    expect(await taken(processOf(bed, [old]), token)).toBe("Unavailable");
  });

  it("is not taken in the place of another one", async () => {
    const bed = await storeBed();
    const one = processOf(bed, newKey());
    const token = await made(one);
    await one.store.signingKeys.rotate(KEPT_MS);
    await bed.query(
      "UPDATE cairn.signing_keys AS s SET sealed = o.sealed FROM cairn.signing_keys AS o WHERE s.retired_at IS NULL AND o.retired_at IS NOT NULL",
    );
    one.pass(2_000);
    await expect(made(one)).rejects.toMatchObject({ code: "SecretUnreadable" });
    expect(await taken(one, token)).toBe("approval");
    expect((await one.store.rotate()).unreadable).toEqual([expect.stringMatching(/^signing key [0-9a-f]{12}$/)]);
    await one.store.signingKeys.rotate(null);
    expect(await taken(one, await made(one))).toBe("approval");
  });
});
