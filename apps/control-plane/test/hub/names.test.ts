import { expect, it } from "vitest";
import { segmentsOf, servesPrefixOf } from "../../src/hub/names.ts";

const worker = (...prefixes: string[]) => ({ prefixes, names: new Set<string>() });

it("a prefix without a dot is a first segment, and not all that begins so, nor everything", () => {
  expect(segmentsOf(worker("billing"))).toEqual(["billing"]);
  expect(segmentsOf(worker("billing.refund.", "media."))).toEqual(["billing", "media"]);
  const billing = worker("billing");
  expect(["billing", "billing.refund", "billings.refund"].map((name) => servesPrefixOf(billing, name))).toEqual([
    true,
    true,
    false,
  ]);
});

it("an empty prefix is for everything", () => {
  expect(segmentsOf(worker(""))).toEqual([""]);
  expect(servesPrefixOf(worker(""), "billing.refund")).toBe(true);
});
