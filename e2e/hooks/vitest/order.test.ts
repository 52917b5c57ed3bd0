import { writeSync } from "node:fs";
import { test } from "vitest";
import { report } from "../app/src/report.ts";

test("a workflow natively and compiled", async () => {
  writeSync(1, `${JSON.stringify([await report(["pen", "book"]), await report(["piano"])])}\n`);
});
