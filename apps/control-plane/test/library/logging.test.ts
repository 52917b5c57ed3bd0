import { expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { noting } from "../workflows/logged.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

it("what handlers log goes to the logger that was given, with the ids of their attempts; so do warnings", async () => {
  const bed = await testBed();
  const logged: { level: string; facts: object; message: string }[] = [];
  const write = (level: string) => (facts: object, message: string) => void logged.push({ level, facts, message });
  const logger = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  const cairn = await bed.open({ logger });
  const run = await cairn.start(noting, "hello", { traceparent: TRACEPARENT });
  await run.result();
  const about = {
    namespace: "default",
    runId: run.id,
    type: "logged.noting.v1",
    call: "1.0",
    action: "logged.notes.v1",
  };
  const facts = { ...about, traceId: TRACEPARENT.slice(3, 35), details: { length: 5 } };
  expect(logged).toEqual([
    { level: "info", facts: { ...facts, attempt: 1 }, message: "hello" },
    { level: "info", facts: { ...facts, attempt: 2 }, message: "hello" },
  ]);
  await bed.query("DELETE FROM cairn.owners");
  const warning = await until(async () => logged.find(({ level }) => level === "warn"));
  expect(warning.facts).toHaveProperty("err");
});
