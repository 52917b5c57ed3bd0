import { expect, it } from "vitest";
import { filterBody } from "./run-filter.ts";

it("names with commas between are several in an order for many, as in a list", () => {
  expect(filterBody({ type: ["a.v1,b.v1", "c.*"], status: "failed,cancelled" })).toEqual({
    type: ["a.v1", "b.v1", "c.*"],
    status: ["failed", "cancelled"],
  });
});
