import { expect, it } from "vitest";
import { beginningIn, isPatternFor } from "../src/name-pattern.ts";

it.each([
  ["billing.pay", ["billing.pay"], ["billing.pay2", "billing", "Billing.pay", ""]],
  ["billing.*", ["billing.pay", "billing.", "billing.*"], ["billing", "billings.pay"]],
  ["*", ["billing.pay", "*", ""], []],
  ["", [""], ["billing.pay"]],
])("%j is for these names and no others", (pattern, names, others) => {
  expect(names.filter((name) => !isPatternFor(pattern, name))).toEqual([]);
  expect(others.filter((name) => isPatternFor(pattern, name))).toEqual([]);
});

it("only a star at the end is one", () => {
  expect(["billing.*", "*", "a*b", "a**"].map(beginningIn)).toEqual(["billing.", "", null, "a*"]);
});
