import { writeSync } from "node:fs";
import { report } from "../app/src/report";

jest.mock("../app/src/lib/unused", () => ({ unused: "mocked" }));

test("a workflow natively and compiled", async () => {
  const { unused } = require("../app/src/lib/unused") as { unused: string };
  expect(unused).toBe("mocked");
  writeSync(1, `${JSON.stringify([await report(["pen", "book"]), await report(["piano"])])}\n`);
});
