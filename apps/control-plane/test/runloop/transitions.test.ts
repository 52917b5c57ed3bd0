import { readFileSync } from "node:fs";
import { RUN_TRANSITIONS } from "@cairnjs/schemas";
import { describe, expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { broken, listener, three } from "../workflows/turning.ts";

const DOCS = new URL("../../../../docs/lives.md", import.meta.url);

/** Notes every change of what the view says, in the transaction that makes it. */
const WATCH = `
  CREATE TABLE cairn.test_statuses (run_id uuid PRIMARY KEY, status text NOT NULL);
  CREATE TABLE cairn.test_transitions ("from" text, "to" text NOT NULL);
  CREATE FUNCTION cairn.test_note() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    run uuid := CASE WHEN TG_TABLE_NAME = 'runs' THEN to_json(NEW)->>'id' ELSE to_json(NEW)->>'run_id' END;
    now_is text := (SELECT status FROM cairn.workflow_run WHERE id = run);
    before text := (SELECT status FROM cairn.test_statuses WHERE run_id = run);
  BEGIN
    IF now_is IS DISTINCT FROM before THEN
      INSERT INTO cairn.test_statuses VALUES (run, now_is) ON CONFLICT (run_id) DO UPDATE SET status = now_is;
      INSERT INTO cairn.test_transitions VALUES (before, now_is);
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER noted AFTER INSERT OR UPDATE ON cairn.runs DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION cairn.test_note();
  CREATE CONSTRAINT TRIGGER noted AFTER INSERT OR UPDATE ON cairn.queue DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION cairn.test_note();`;

describe("the table of transitions", () => {
  it("has every change of a status that happens, and each of them happens", async () => {
    const bed = await testBed();
    await bed.sql.query(WATCH);
    const cairn = await bed.open();
    broken.add("t1 b");
    const run = await cairn.start(three, "t1");
    await expect(run.result()).rejects.toThrow("broken");
    broken.delete("t1 b");
    await run.retry();
    await run.result();
    await run.rollback(1);
    await run.result();
    const unbegun = await cairn.start(three, "t2", { runAt: new Date(Date.now() + 60_000) });
    await unbegun.cancel();
    const begun = await cairn.start(listener, { key: "t3", count: 1 });
    await until(async () => (await begun.status()).phase === "waiting");
    await begun.cancel();
    await expect(begun.result()).rejects.toThrow("cancelled");
    await begun.rollback(1);
    await begun.signal("word", "go");
    await begun.result();
    const seen = await bed.query<{ from: string | null; to: string }>(
      `SELECT DISTINCT "from", "to" FROM cairn.test_transitions`,
    );
    const keys = (all: readonly { readonly from: string | null; readonly to: string }[]): string[] =>
      all.map(({ from, to }) => `${from} → ${to}`).sort();
    expect(keys(seen)).toEqual(keys(RUN_TRANSITIONS));
  });

  it("is the one that people read", () => {
    const code = (status: string | null): string => (status === null ? "" : `\`${status}\``);
    const lines = RUN_TRANSITIONS.map(({ from, to, when }) => `| ${code(from)} | ${code(to)} | ${when} |`);
    const read = readFileSync(DOCS, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| from"));
    expect(read).toEqual(lines);
  });
});
