import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { masterKeysOf, type MasterKeys, parseMasterKey } from "../../src/secrets/master-keys.ts";
import { SecretStore } from "../../src/secrets/secret-store.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { dumpTables, formsOf } from "../support/dump-tables.ts";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

function newKey(): MasterKeys {
  return [parseMasterKey("CAIRN_MASTER_KEY", randomBytes(32).toString("base64"))];
}

/** As another process. */
function storeOf(bed: StoreBed, masters: MasterKeys | null, client: Queryable = bed.client): SecretStore {
  let now = 0;
  // Nothing is kept: each look is a new one.
  return new SecretStore(client, masters, () => (now += 10_000));
}

async function valueIn(store: SecretStore, name: string, namespace = "default"): Promise<string | undefined> {
  return (await store.read(namespace, [name])).get(name);
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe("secrets", () => {
  it("are what was set, in each process with the key, and nothing of them is in any table", async () => {
    const bed = await storeBed();
    const key = newKey();
    const [one, other] = [storeOf(bed, key), storeOf(bed, key)];
    const values = ["smtp-password-7!", "ключ 🔑 от сервера", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
    for (const [index, value] of values.entries()) {
      expect(await one.set("default", `s-${index}`, value, "me")).toMatchObject({ version: 1, changedBy: "me" });
    }
    for (const [index, value] of values.entries()) expect(await valueIn(other, `s-${index}`)).toBe(value);
    expect(await other.set("default", "s-0", "another", "you")).toMatchObject({ version: 2, changedBy: "you" });
    expect(await valueIn(one, "s-0")).toBe("another");
    expect((await one.list("default")).map(({ name, version }) => [name, version])).toEqual([
      ["s-0", 2],
      ["s-1", 1],
      ["s-2", 1],
    ]);
    const dump = await dumpTables(bed);
    expect(dump).toContain("s-0");
    for (const form of [...values, "another", key[0].bytes.toString("latin1")].flatMap(formsOf)) {
      expect(dump).not.toContain(form);
    }
  });

  it("are those of their namespace", async () => {
    const bed = await storeBed();
    const store = storeOf(bed, newKey());
    await store.set("a", "same", "of a", "");
    await store.set("b", "same", "of b", "");
    expect([
      await valueIn(store, "same", "a"),
      await valueIn(store, "same", "b"),
      await valueIn(store, "same", "c"),
    ]).toEqual(["of a", "of b", undefined]);
    await store.remove("a", "same");
    expect([await valueIn(store, "same", "a"), await valueIn(store, "same", "b")]).toEqual([undefined, "of b"]);
    await expect(store.remove("a", "same")).rejects.toMatchObject({ code: "NotFound" });
  });

  it("that were missing are there as soon as they are set, also by another process: a call fails for good without them", async () => {
    const bed = await storeBed();
    const key = newKey();
    // For this one no time passes: what it keeps, it keeps.
    const keeping = new SecretStore(bed.client, key, () => 0);
    await storeOf(bed, key).set("default", "there", "1", "");
    expect(await keeping.read("default", ["there", "late"])).toEqual(new Map([["there", "1"]]));
    await storeOf(bed, key).set("default", "late", "2", "");
    expect(await valueIn(keeping, "late")).toBe("2");
  });

  it("need a master key, the same everywhere: none, and another one, are told", async () => {
    const bed = await storeBed();
    const [right, wrong] = [newKey(), newKey()];
    await expect(storeOf(bed, null).set("default", "x", "1", "")).rejects.toMatchObject({
      code: "NoMasterKey",
      message: expect.stringContaining("CAIRN_MASTER_KEY"),
    });
    await storeOf(bed, right).set("default", "x", "1", "");
    for (const asked of [
      () => storeOf(bed, wrong).set("default", "y", "2", ""),
      () => storeOf(bed, wrong).read("default", ["x"]),
      () => storeOf(bed, wrong).rotate(),
      () => storeOf(bed, wrong).rewrap(),
    ]) {
      const message = expect.stringMatching(new RegExp(`${wrong[0].id}.*${right[0].id}`));
      await expect(asked()).rejects.toMatchObject({ code: "WrongMasterKey", message });
    }
    await expect(storeOf(bed, null).read("default", ["x"])).rejects.toMatchObject({ code: "NoMasterKey" });
    expect(await storeOf(bed, null).list("default")).toHaveLength(1);
  });

  it("of processes that begin at the same moment have one data key, and with different master keys one of them is wrong", async () => {
    const bed = await storeBed();
    const key = newKey();
    const set = await Promise.all(
      numbers(8).map(async (n) => storeOf(bed, key, await bed.connect()).set("default", `s-${n}`, `v-${n}`, "")),
    );
    expect(set).toHaveLength(8);
    expect(await bed.query("SELECT id FROM cairn.data_keys")).toHaveLength(1);
    const others = await storeBed();
    const results = await Promise.allSettled(
      numbers(6).map(async (n) => storeOf(others, newKey(), await others.connect()).set("default", `s-${n}`, "v", "")),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("whose rows were changed or exchanged are not read, whichever part it is", async () => {
    const bed = await storeBed();
    const store = storeOf(bed, newKey());
    const places = [
      ["a", "one"],
      ["a", "two"],
      ["b", "one"],
    ] as const;
    const reset = async (): Promise<void> => {
      await bed.query("DELETE FROM cairn.secrets");
      for (const [namespace, name] of places) await store.set(namespace, name, `secret of ${namespace}/${name}`, "");
    };
    const changes = fc.oneof(
      fc.record({ kind: fc.constant("bit" as const), at: fc.nat(1_000), bit: fc.nat(7), of: fc.nat(2) }),
      fc.record({ kind: fc.constant("exchange" as const), of: fc.nat(2), by: fc.integer({ min: 1, max: 2 }) }),
      fc.record({ kind: fc.constant("version" as const), of: fc.nat(2), to: fc.integer({ min: 2, max: 99 }) }),
      fc.record({ kind: fc.constant("cut" as const), of: fc.nat(2), length: fc.nat(40) }),
    );
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        await reset();
        const [namespace, name] = places[change.of]!;
        const where = "WHERE namespace = $1 AND name = $2";
        if (change.kind === "bit") {
          await bed.query(
            `UPDATE cairn.secrets SET sealed = set_bit(sealed, ($3::int * 8 + $4::int) % (length(sealed) * 8), ` +
              `1 - get_bit(sealed, ($3::int * 8 + $4::int) % (length(sealed) * 8))) ${where}`,
            namespace,
            name,
            change.at,
            change.bit,
          );
        } else if (change.kind === "version") {
          await bed.query(`UPDATE cairn.secrets SET version = $3 ${where}`, namespace, name, change.to);
        } else if (change.kind === "cut") {
          await bed.query(
            `UPDATE cairn.secrets SET sealed = substr(sealed, 1, $3) ${where}`,
            namespace,
            name,
            change.length,
          );
        } else {
          const [from, of] = places[(change.of + change.by) % 3]!;
          await bed.query(
            `UPDATE cairn.secrets SET sealed = (SELECT sealed FROM cairn.secrets WHERE namespace = $3 AND name = $4) ${where}`,
            namespace,
            name,
            from,
            of,
          );
        }
        await expect(store.read(namespace, [name])).rejects.toMatchObject({ code: "SecretUnreadable" });
      }),
      { numRuns: 60 },
    );
  });

  it("whose data key was changed are not read", async () => {
    const bed = await storeBed();
    const key = newKey();
    await storeOf(bed, key).set("default", "x", "1", "");
    await bed.query("UPDATE cairn.data_keys SET wrapped = set_byte(wrapped, 20, 255 - get_byte(wrapped, 20))");
    await expect(storeOf(bed, key).read("default", ["x"])).rejects.toMatchObject({ code: "SecretUnreadable" });
    await bed.query("DELETE FROM cairn.data_keys");
    await expect(storeOf(bed, key).read("default", ["x"])).rejects.toMatchObject({ code: "SecretUnreadable" });
  });
});

describe("rotating", () => {
  it("encrypts everything anew while others set and read, and leaves one data key", async () => {
    const bed = await storeBed();
    const key = newKey();
    const store = storeOf(bed, key);
    for (const n of numbers(150)) await store.set("default", `s-${n}`, `v-${n}`, "");
    const [{ id: before } = { id: "" }] = await bed.query<{ id: string }>("SELECT id FROM cairn.data_keys");
    const others = [storeOf(bed, key, await bed.connect()), storeOf(bed, key, await bed.connect())];
    const set = numbers(60).map(async (n) => others[n % 2]!.set("default", `s-${n}`, `w-${n}`, ""));
    const read = numbers(60).map(async (n) => expect(await valueIn(others[n % 2]!, `s-${n + 70}`)).toBe(`v-${n + 70}`));
    const [{ unreadable }] = await Promise.all([store.rotate(), ...set, ...read]);
    expect(unreadable).toEqual([]);
    // What was set while it went on may have been set by the key from before, but not after it was retired.
    expect(await bed.query("SELECT DISTINCT id FROM cairn.data_keys")).toHaveLength(1);
    expect(await bed.query("SELECT name FROM cairn.secrets WHERE data_key = $1", before)).toEqual([]);
    for (const n of numbers(150)) expect(await valueIn(storeOf(bed, key), `s-${n}`)).toBe(n < 60 ? `w-${n}` : `v-${n}`);
  });

  it("can be broken off after any statement, and be done again, also by two at a time", async () => {
    const bed = await storeBed();
    const key = newKey();
    for (const n of numbers(120)) await storeOf(bed, key).set("default", `s-${n}`, `v-${n}`, "");
    for (const statements of numbers(12)) {
      let left = statements;
      const breaking = {
        query: (...args: Parameters<Queryable["query"]>) => {
          if (left-- === 0) throw new Error("killed");
          return bed.client.query(...args);
        },
      } as Queryable;
      await storeOf(bed, key, breaking)
        .rotate()
        .catch((error: Error) => expect(error.message).toBe("killed"));
      expect(await valueIn(storeOf(bed, key), `s-${statements * 10}`)).toBe(`v-${statements * 10}`);
      await storeOf(bed, key).set("default", "later", `x-${statements}`, "");
      expect(await valueIn(storeOf(bed, key), "later")).toBe(`x-${statements}`);
    }
    const clients = await Promise.all([bed.connect(), bed.connect()]);
    const both = await Promise.allSettled(clients.map((client) => storeOf(bed, key, client).rotate()));
    for (const each of both) if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "HeldUp" });
    await storeOf(bed, key).rotate();
    expect(await bed.query("SELECT DISTINCT id FROM cairn.data_keys")).toHaveLength(1);
    for (const n of numbers(120)) expect(await valueIn(storeOf(bed, key), `s-${n}`)).toBe(`v-${n}`);
  });

  it("waits for who encrypts at that moment, and finds what that was", async () => {
    const bed = await storeBed();
    const key = newKey();
    await storeOf(bed, key).set("default", "x", "1", "");
    const [slow, quick] = [await bed.connect(), await bed.connect()];
    await slow.query("BEGIN");
    await storeOf(bed, key, slow).set("default", "x", "set in between", "");
    let isOver = false;
    const rotating = storeOf(bed, key, quick)
      .rotate()
      .finally(() => (isOver = true));
    await until(async () => isOver || (await bed.query("SELECT FROM pg_locks WHERE NOT granted")).length > 0);
    await slow.query("COMMIT");
    expect(await rotating).toEqual({ secrets: 1, unreadable: [] });
    expect(await valueIn(storeOf(bed, key), "x")).toBe("set in between");
  });

  it("is not noticed by who has read a secret and not yet its key", async () => {
    const bed = await storeBed();
    const key = newKey();
    await storeOf(bed, key).set("default", "x", "1", "");
    let queries = 0;
    const late = {
      query: async (...args: Parameters<Queryable["query"]>) => {
        if (queries++ === 1) await storeOf(bed, key, await bed.connect()).rotate();
        return bed.client.query(...args);
      },
    } as unknown as Queryable;
    expect(await valueIn(storeOf(bed, key, late), "x")).toBe("1");
  });

  it("lets nobody encrypt by a key from before, who had it already", async () => {
    const bed = await storeBed();
    const key = newKey();
    for (const name of ["bad", "x"]) await storeOf(bed, key).set("default", name, "1", "");
    // So that its key stays.
    await bed.query("UPDATE cairn.secrets SET version = 7 WHERE name = 'bad'");
    let queries = 0;
    const late = {
      query: async (...args: Parameters<Queryable["query"]>) => {
        // It knows which key to take by the first.
        if (queries++ === 1) await storeOf(bed, key, await bed.connect()).rotate();
        return bed.client.query(...args);
      },
    } as unknown as Queryable;
    await storeOf(bed, key, late).set("default", "x", "2", "");
    const keys =
      "SELECT s.name, k.retired_at IS NULL AS current FROM cairn.secrets AS s JOIN cairn.data_keys AS k ON k.id = s.data_key";
    expect(await bed.query(`${keys} ORDER BY 1`)).toEqual([
      { name: "bad", current: false },
      { name: "x", current: true },
    ]);
  });

  it("leaves what it cannot read, with its key, and says so", async () => {
    const bed = await storeBed();
    const key = newKey();
    for (const name of ["bad", "good"]) await storeOf(bed, key).set("default", name, name, "");
    await bed.query("UPDATE cairn.secrets SET version = 7 WHERE name = 'bad'");
    expect(await storeOf(bed, key).rotate()).toEqual({ secrets: 1, unreadable: ["default/bad"] });
    await bed.query("UPDATE cairn.secrets SET version = 1 WHERE name = 'bad'");
    expect([await valueIn(storeOf(bed, key), "bad"), await valueIn(storeOf(bed, key), "good")]).toEqual([
      "bad",
      "good",
    ]);
  });
});

describe("another master key", () => {
  it("takes the place of the first, while processes run with either", async () => {
    const bed = await storeBed();
    const [old] = newKey();
    const [next] = newKey();
    const oldOnly = storeOf(bed, [old]);
    await oldOnly.set("default", "x", "1", "");
    const both = storeOf(bed, [next, old]);
    expect(await valueIn(both, "x")).toBe("1");
    // Before it is rewrapped, whoever has the new one alone has the wrong one.
    await expect(storeOf(bed, [next]).read("default", ["x"])).rejects.toMatchObject({ code: "WrongMasterKey" });
    const wrapped = { masterKey: next.id, removed: 0, removedMasterKeys: [], otherMasterKeys: [old.id] };
    expect(await both.rewrap()).toEqual({ ...wrapped, added: 1 });
    expect(await both.rewrap()).toEqual({ ...wrapped, added: 0 });
    const newOnly = storeOf(bed, [next]);
    for (const [n, writer] of [oldOnly, both, newOnly].entries()) {
      await writer.set("default", "x", `from ${n}`, "");
      for (const reader of [oldOnly, both, newOnly]) expect(await valueIn(reader, "x")).toBe(`from ${n}`);
    }
    // A data key that some could not unwrap is not made.
    for (const one of [oldOnly, newOnly]) await expect(one.rotate()).rejects.toMatchObject({ code: "WrongMasterKey" });
    expect(await both.rotate()).toMatchObject({ secrets: 1 });
    for (const reader of [oldOnly, both, newOnly]) expect(await valueIn(reader, "x")).toBe("from 2");
    expect(await newOnly.rewrap({ removeOld: true })).toEqual({
      masterKey: next.id,
      added: 0,
      removed: 1,
      removedMasterKeys: [old.id],
      otherMasterKeys: [],
    });
    expect(await valueIn(storeOf(bed, [next]), "x")).toBe("from 2");
    await expect(storeOf(bed, [old]).read("default", ["x"])).rejects.toMatchObject({ code: "WrongMasterKey" });
    expect(await newOnly.rotate()).toMatchObject({ secrets: 1 });
  });

  it("is not removed by who has the one from before, also after a rotation, and who has both says which one stays", async () => {
    const bed = await storeBed();
    const [[old], [next]] = [newKey(), newKey()];
    const [oldOnly, newOnly, both] = [storeOf(bed, [old]), storeOf(bed, [next]), storeOf(bed, [next, old])];
    await oldOnly.set("default", "x", "1", "");
    await both.rewrap();
    const message = expect.stringMatching(new RegExp(`${old.id}.*${next.id} came later: nothing is removed`));
    const refused = { code: "WrongMasterKey", message };
    await expect(oldOnly.rewrap({ removeOld: true })).rejects.toMatchObject(refused);
    await both.rotate();
    await expect(oldOnly.rewrap({ removeOld: true })).rejects.toMatchObject(refused);
    // Whoever names the key that is to stay gets that, or nothing.
    await expect(newOnly.rewrap({ removeOld: true, masterKey: old.id })).rejects.toMatchObject({
      code: "WrongMasterKey",
      message: expect.stringContaining(`${next.id}, and not ${old.id}`),
    });
    for (const store of [oldOnly, newOnly]) expect(await valueIn(store, "x")).toBe("1");
    // Back to the first one.
    await storeOf(bed, [old, next]).rewrap();
    await expect(newOnly.rewrap({ removeOld: true })).rejects.toMatchObject({ code: "WrongMasterKey" });
    expect(await oldOnly.rewrap({ removeOld: true, masterKey: old.id })).toMatchObject({
      removed: 1,
      removedMasterKeys: [next.id],
    });
    expect(await valueIn(oldOnly, "x")).toBe("1");
  });

  it("is known to be the later one, if the first data key was made by who has both", async () => {
    const bed = await storeBed();
    const [[old], [next]] = [newKey(), newKey()];
    await storeOf(bed, [next, old]).set("default", "x", "1", "");
    await expect(storeOf(bed, [old]).rewrap({ removeOld: true })).rejects.toMatchObject({ code: "WrongMasterKey" });
    expect(await storeOf(bed, [next]).rewrap({ removeOld: true })).toMatchObject({ removedMasterKeys: [old.id] });
  });

  it("wraps what others make while it is wrapped, before anything of theirs is removed", async () => {
    const bed = await storeBed();
    const [old] = newKey();
    const [next] = newKey();
    const oldOnly = storeOf(bed, [old]);
    await oldOnly.set("default", "x", "1", "");
    let isRotated = false;
    // As soon as it has seen which there are, somebody rotates.
    const client = {
      query: async (config: { readonly name?: string }, values?: unknown[]) => {
        const answer = await bed.client.query(config as never, values as never);
        if (config.name?.includes("data_keys") === true && !isRotated) {
          isRotated = true;
          await oldOnly.rotate();
        }
        return answer;
      },
    } as unknown as Queryable;
    expect(await storeOf(bed, [next, old], client).rewrap({ removeOld: true })).toMatchObject({ added: 1, removed: 1 });
    expect(isRotated).toBe(true);
    expect(await valueIn(storeOf(bed, [next]), "x")).toBe("1");
  });

  it("is 32 bytes in base64 or hex, and what is refused is never shown", () => {
    const bytes = randomBytes(32);
    const [first, ...others] = [bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")].map(
      (text) => parseMasterKey("CAIRN_MASTER_KEY", `${text}\n`),
    );
    expect(others).toEqual([first, first]);
    expect(first!.id).toMatch(/^[0-9a-f]{16}$/);
    expect(masterKeysOf({}, {})).toBeNull();
    for (const wrong of ["short-and-secret", bytes.toString("hex").slice(1), `${bytes.toString("base64")}AAAA`]) {
      const refusal = (): unknown => masterKeysOf({}, { CAIRN_MASTER_KEY: wrong });
      expect(refusal).toThrow("32 bytes, in base64 or hex");
      expect(refusal).not.toThrow(wrong);
    }
    expect(() => masterKeysOf({}, { CAIRN_MASTER_KEY_OLD: bytes.toString("hex") })).toThrow("give that too");
    expect(() => masterKeysOf({}, { CAIRN_MASTER_KEY_FILE: "/nowhere/key" })).toThrow("ENOENT");
  });
});
