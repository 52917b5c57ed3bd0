import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { build, cairnIn, fixtures } from "./command.ts";

beforeAll(build);

const EXAMPLES = {
  "agent.ts": { answer: "Together they are 16662 m high.", turns: 3 },
  "checkout.ts": { payment: "pay-grace-6690", parcel: "o-17: lantern×2 + rope×1", cents: 6690 },
  "map-reduce.ts": { files: 3, table: "of: 4, the: 3, man: 2" },
  "onboarding.ts": { account: { id: "acc-ada" }, outcome: "team" },
};

const folder = join(fixtures, "../../../../examples");

it("runs every example, restored between any two instructions", () => {
  expect(results("--restore-everywhere")).toEqual(EXAMPLES);
});

it("ends the steps of every example in another order", () => {
  // A signal may come too late in another order of events, so the onboarding may end differently.
  const { "onboarding.ts": onboarding, ...others } = EXAMPLES;
  expect(results("--schedule", "1")).toMatchObject({ ...others, "onboarding.ts": { account: onboarding.account } });
});

function results(...flags: string[]): Record<string, unknown> {
  const lines = cairnIn(folder, "try", ...Object.keys(EXAMPLES), "--json", ...flags).lines() as {
    file: string;
    result: unknown;
  }[];
  return Object.fromEntries(lines.map(({ file, result }) => [file, result]));
}
