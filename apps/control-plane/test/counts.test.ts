import { expect, it } from "vitest";
import { Counts } from "../src/counts.ts";

it("counts what there is of each, and of all", () => {
  const counts = new Counts();
  expect([counts.add("a", 2), counts.add("b", 5), counts.add("a", 1)]).toEqual([2, 5, 3]);
  expect([counts.of("a"), counts.of("b"), counts.of("c"), counts.all]).toEqual([3, 5, 0, 8]);
});

it("forgets what there is nothing of", () => {
  const counts = new Counts();
  counts.add("a", 2);
  counts.add("b", 0);
  expect([counts.add("a", -2), counts.of("a"), counts.all, counts.size]).toEqual([0, 0, 0, 0]);
});
