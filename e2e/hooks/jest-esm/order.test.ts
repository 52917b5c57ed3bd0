import { writeSync } from "node:fs";
import { report } from "../app/src/report";

test("a workflow natively and compiled", async () => {
  writeSync(1, `${JSON.stringify([await report(["pen", "book"]), await report(["piano"])])}\n`);
});
