import { expect, it } from "vitest";
import { testBed } from "../support/test-engine.ts";
import { acts, broken, fussing } from "../workflows/turning.ts";

it("errors that are non-retryable, by the action's declaration or by the call, are not tried again", async () => {
  const cairn = await (await testBed()).open();
  broken.add("n1 called");
  const run = await cairn.start(fussing, "n1");
  expect(await run.result()).toEqual(["RangeError", "Error"]);
  expect(acts.filter((text) => text.startsWith("n1"))).toEqual(["n1 declared", "n1 called"]);
  broken.delete("n1 called");
});
