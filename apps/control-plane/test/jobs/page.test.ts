import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { testBed } from "../support/test-engine.ts";
import { refund } from "../workflows/jobs-page.ts";

const page = readFileSync(new URL("../../../../docs/jobs.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```(ts|sql)\n([^]*?)^```$/gm)].map(([, language, text]) => ({
  language,
  text: text!,
}));
const without = (text: string): string => text.replaceAll(/^ +/gm, "").trim();

it("docs/jobs.md: its modules are those that run here, and its statement starts the same job", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  // From the page:
  const job = await cairn.start(refund, { order: "A-17", cents: 4200 }, { idempotencyKey: "refund A-17" });
  const { refunded } = await job.result();
  expect(refunded).toBe(4200);
  const [declared, started, statement] = blocks as [(typeof blocks)[0], (typeof blocks)[0], (typeof blocks)[0]];
  const sources = ["../workflows/jobs-page.ts", "page.test.ts"].map((file) =>
    without(readFileSync(new URL(file, import.meta.url), "utf8")),
  );
  expect(sources[0]).toBe(without(declared.text));
  expect(sources[1]).toContain(without(started.text));
  expect(blocks.map(({ language }) => language)).toEqual(["ts", "ts", "sql"]);
  // The key is that of the job above.
  expect(await bed.query(statement.text)).toEqual([{ start_run: job.id }]);
});
