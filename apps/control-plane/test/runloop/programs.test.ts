import type pg from "pg";
import { describe, expect, it } from "vitest";
import { type LoadedVersion, Programs } from "../../src/runloop/programs.ts";
import { promoteVersion, registerVersion } from "../../src/store/register-version.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { declaredWorkflow } from "cairnjs/host";
import { NOOP, storeBed } from "../support/test-store.ts";
import { sums } from "../workflows/basics.ts";

const program = declaredWorkflow(sums.name)!.compiled!.program;
const SUMS = { ...NOOP, name: sums.name, programHash: "sums", program: JSON.stringify(program) };

/** A client that notes the statements it is asked, and may hold answers back. */
function watched(client: Queryable): { client: Queryable; asked: string[]; hold: (until: Promise<void>) => void } {
  const asked: string[] = [];
  let held = Promise.resolve();
  const query = async (config: { name: string; text: string; values: unknown[] }): Promise<pg.QueryResult> => {
    asked.push(config.name);
    const answer = await client.query(config);
    await held;
    return answer;
  };
  return { client: { query } as unknown as Queryable, asked, hold: (until) => void (held = until) };
}

describe("the current version of a workflow", () => {
  it("is looked up once, however many ask at the same time", async () => {
    const bed = await storeBed();
    await registerVersion(bed.client, SUMS);
    const { client, asked } = watched(bed.client);
    let now = 0;
    const programs = new Programs(client, () => now);
    const ask = (): Promise<unknown[]> =>
      Promise.all(Array.from({ length: 100 }, () => programs.current(SUMS.namespace, SUMS.name)));
    const found = await ask();
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toMatchObject({ name: SUMS.name, version: SUMS.version });
    // Which one it is, the program, and the limits of actions.
    expect(asked).toHaveLength(3);
    now += 10_000;
    expect(programs.knownCurrent(SUMS.namespace, SUMS.name)).toBeUndefined();
    await ask();
    // The program itself was loaded before.
    expect(asked).toHaveLength(4);
  });

  it.each([null, SUMS.version])("has the lease that it was registered with last (version: %s)", async (version) => {
    const bed = await storeBed();
    await registerVersion(bed.client, SUMS);
    let now = 0;
    const programs = new Programs(bed.client, () => now);
    const look = (): Promise<LoadedVersion | null> => programs.current(SUMS.namespace, SUMS.name, version);
    expect(await look()).toMatchObject({ leaseMs: null });
    // By another process.
    await registerVersion(bed.client, { ...SUMS, leaseMs: 45_000 });
    now += 1_001;
    expect(programs.knownCurrent(SUMS.namespace, SUMS.name, version)).toBeUndefined();
    expect(await look()).toMatchObject({ leaseMs: 45_000 });
    expect(programs.knownCurrent(SUMS.namespace, SUMS.name, version)).toMatchObject({ leaseMs: 45_000 });
  });

  it("that nobody has registered is remembered for a while, and so are many of them, but not all that was ever asked for", async () => {
    const bed = await storeBed();
    const programs = new Programs(bed.client, () => 0);
    const names = Array.from({ length: 1_001 }, (_, n) => `test.unknown${n}.v1`);
    for (const name of names) expect(await programs.current(SUMS.namespace, name)).toBe(null);
    expect(programs.knownCurrent(SUMS.namespace, names[0]!)).toBeUndefined();
    expect(programs.knownCurrent(SUMS.namespace, names[1]!)).toBe(null);
  });

  it("that was looked up before a promotion of this process is not remembered after it", async () => {
    const bed = await storeBed();
    await registerVersion(bed.client, SUMS);
    await registerVersion(bed.client, { ...SUMS, version: "next" });
    await promoteVersion(bed.client, SUMS.namespace, SUMS.name, SUMS.version);
    const { client, hold } = watched(bed.client);
    const programs = new Programs(client, () => 0);
    let release = (): void => {};
    hold(new Promise((resolve) => (release = resolve)));
    const before = programs.current(SUMS.namespace, SUMS.name);
    await promoteVersion(bed.client, SUMS.namespace, SUMS.name, "next");
    programs.forgetCurrent(SUMS.namespace, SUMS.name);
    release();
    await before;
    expect(programs.knownCurrent(SUMS.namespace, SUMS.name)).toBeUndefined();
    expect(await programs.current(SUMS.namespace, SUMS.name)).toMatchObject({ version: "next" });
  });
});
