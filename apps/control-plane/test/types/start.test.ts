import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, expectTypeOf, it } from "vitest";
import type { Cairn, RunHandle, Schedule } from "../../src/index.ts";
import { approved, echo, sums } from "../workflows/basics.ts";
import { checked, encode, refund, several, slow, tidy } from "../workflows/jobs.ts";

/** Compiled by the test below; nothing of it is run. */
export const right = async (cairn: Cairn): Promise<void> => {
  expectTypeOf(await cairn.start(sums, { n: 1 })).toEqualTypeOf<RunHandle<number>>();
  expectTypeOf(await cairn.start(sums, { n: 1 }, { priority: 1 })).toEqualTypeOf<RunHandle<number>>();
  expectTypeOf((await cairn.start(echo, "x")).result()).resolves.toEqualTypeOf<string>();
  expectTypeOf((await cairn.start(approved)).result()).resolves.toEqualTypeOf<string[]>();
  await cairn.start(approved, undefined, { tags: ["a"] });
  expectTypeOf(await cairn.start("test.sums.v1", { anything: 1 }, { priority: 1 })).toEqualTypeOf<RunHandle>();
};

export const rightJobs = async (cairn: Cairn): Promise<void> => {
  expectTypeOf(await cairn.start(refund, { order: "1" })).toEqualTypeOf<RunHandle<number>>();
  expectTypeOf(await cairn.start(encode, "x", { maxAttempts: 5 })).toEqualTypeOf<RunHandle<string>>();
  expectTypeOf(await cairn.start(slow)).toEqualTypeOf<RunHandle<void>>();
  expectTypeOf((await cairn.start(tidy, undefined, { tags: ["a"] })).result()).resolves.toEqualTypeOf<string>();
  // What the schema takes, not what it makes of it.
  await cairn.start(checked, { cents: "12" });
};

export const rightSchedules = async ({ schedules }: Cairn): Promise<void> => {
  expectTypeOf(await schedules.upsert(sums, "x", { every: "1 h", input: { n: 1 } })).toEqualTypeOf<Schedule>();
  await schedules.upsert(approved, "x", { cron: "@daily" });
  await schedules.upsert(encode, "x", { every: "1 h", input: "a" });
  await schedules.upsert(tidy, "x", { every: 3_600_000 });
  await schedules.upsert("test.sums.v1", "x", { every: "1 h", input: 1 });
  await schedules.trigger(sums, "x");
  await schedules.trigger(refund, "x");
};

export const wrongSchedules = ({ schedules }: Cairn): unknown => [
  // @ts-expect-error the workflow takes an input
  schedules.upsert(sums, "x", { every: "1 h" }),
  // @ts-expect-error of this type
  schedules.upsert(sums, "x", { every: "1 h", input: { n: "1" } }),
  // @ts-expect-error the workflow takes none
  schedules.upsert(approved, "x", { every: "1 h", input: 5 }),
  // @ts-expect-error a job has one payload
  schedules.upsert(several, "x", { every: "1 h", input: 1 }),
  // @ts-expect-error no such length of time
  schedules.upsert(tidy, "x", { every: "1 hourz" }),
  // @ts-expect-error no such option
  schedules.upsert(tidy, "x", { every: "1 h", often: true }),
];

export const wrong = (cairn: Cairn): unknown => [
  // @ts-expect-error the workflow takes an input
  cairn.start(sums),
  // @ts-expect-error of this type
  cairn.start(sums, { n: "1" }),
  // @ts-expect-error the workflow takes none
  cairn.start(approved, 5),
  // @ts-expect-error the action takes a payload
  cairn.start(encode),
  // @ts-expect-error of this type
  cairn.start(refund, { order: 1 }),
  // @ts-expect-error the action takes none
  cairn.start(tidy, 5),
  // @ts-expect-error a job has one payload
  cairn.start(several, 1, 2),
  // @ts-expect-error no such option
  cairn.start(encode, "x", { prio: 1 }),
  // @ts-expect-error no such option
  cairn.start(sums, { n: 1 }, { prio: 1 }),
];

it("a start takes the input of the workflow, or the payload of the action, and has its result, to the type checker", () => {
  const folder = fileURLToPath(new URL("../../", import.meta.url));
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", join(folder, "tsconfig.test.json")], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});
