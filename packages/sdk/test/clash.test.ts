import { expect, it } from "vitest";
import { action } from "../src/index.ts";
import { mock, testRun } from "../src/testing/index.ts";
import { polite, send } from "./workflows/shop.ts";

it("a run refuses a name that two modules declare for different actions, unless a mock plays it", async () => {
  const other = action("shop.send", async (to: string) => `nothing to ${to}`);
  expect(await other("ada")).toBe("nothing to ada");
  expect(await send("ada", "Hi")).toBe("Hi to ada");
  await expect(testRun(polite).result).rejects.toThrow(
    /^Two actions are called "shop\.send": one in .*shop\.ts, another in .*clash\.test\.ts\./,
  );
  expect(await testRun(polite, { actions: [mock.resolves(send, "played")] }).result).toBe("played");
});
