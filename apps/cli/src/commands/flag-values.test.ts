import { expect, it } from "vitest";
import { UsageMistake } from "../usage-mistake.ts";
import { jsonOf } from "./flag-values.ts";

it("JSON of a flag is what was written, or a mistake: no number becomes null on its way", () => {
  expect(jsonOf("--value", '{"n":[1e308,-1.5,null]}')).toEqual({ n: [1e308, -1.5, null] });
  expect(jsonOf("--value", undefined)).toBeUndefined();
  for (const text of ["1e400", '{"n":[-1e400]}']) {
    expect(() => jsonOf("--value", text)).toThrow(UsageMistake);
    expect(() => jsonOf("--value", text)).toThrow("--value has a number that is out of range");
  }
  expect(() => jsonOf("--value", "{")).toThrow("--value is not JSON");
});
