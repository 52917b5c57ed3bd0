import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { testBed } from "../support/test-engine.ts";
import { retrying, sums } from "../workflows/basics.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Whatever else tells the time. `performance.now()` only counts: it says how long something took. */
const OTHER_CLOCKS =
  /(?<![.#\w])now\(\)(?!:)|\bpg_catalog\.now\b|\b(?:clock|statement|transaction)_timestamp\b|\bcurrent_(?:timestamp|time|date)\b|\blocaltime(?:stamp)?\b|\btimeofday\b|'now'|\bDate\.now\b|\bnew Date\(\)|\bprocess\.hrtime\b/gi;

/**
 * The embedded Postgres and the look at a database come before there is a `cairn.now()`; the doctor compares clocks; receivers of
 * webhooks compare with theirs, names of files are for people, and file systems date files by the clock of the machine.
 */
function sources(): string[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" });
  return files.filter((file) =>
    /^(?:migrations\/.*\.sql|src\/(?!embedded\/|database\/|doctor\/|outbox\/(?:file|webhook)-sink|blobs\/file-blobs).*\.ts)$/.test(
      file,
    ),
  );
}

it("nothing but cairn.now() tells the time, in SQL and in TypeScript", () => {
  const files = sources();
  expect(files).toContain("migrations/001_create_engine.sql");
  expect(files).toContain("src/store/claim-runs.ts");
  const found = files.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(?:\/\/|\/?\*|--)/.test(line))
      .flatMap((line) => [...line.matchAll(OTHER_CLOCKS)].map(([clock]) => `${file}: ${clock} in ${line.trim()}`)),
  );
  // Its own definition; how long a transaction of Postgres has lasted; the clock of the machine, which is compared with the database's, and
  // by which TLS looks at certificates.
  expect(found).toEqual([
    "migrations/001_create_engine.sql: clock_timestamp in LANGUAGE sql VOLATILE AS $$ SELECT date_trunc('milliseconds', clock_timestamp()) $$;",
    "migrations/008_create_retention.sql: clock_timestamp in AND a.xact_start < clock_timestamp() - interval '1 s';",
    "src/metrics/database-levels.ts: Date.now in const skewMs = all.now - (Date.now() - (performance.now() - asked) / 2);",
    "src/process/open-control-plane.ts: Date.now in timeNow: () => Date.now(),",
  ]);
});

it.each(["SELECT now()", "DEFAULT CURRENT_TIMESTAMP", "clock_timestamp()", "Date.now()", "new Date()", "'now'::date"])(
  "%s would be found",
  (text) => expect(text.match(OTHER_CLOCKS)).not.toBeNull(),
);

it.each([
  "SELECT cairn.now()",
  "performance.now()",
  "this.#clock.now()",
  "this.#now()",
  "now(): number",
  "new Date(at)",
])("%s is no other clock", (text) => expect(text.match(OTHER_CLOCKS)).toBeNull());

it.each([60_000, 3_600_000, 3 * 24 * 3_600_000])("a clock that is set back by %i ms holds up nothing", async (ms) => {
  const bed = await testBed();
  const cairn = await bed.open();
  expect(await (await cairn.start(sums, { n: 2 })).result()).toBe(3);
  await bed.advance(-ms);
  expect(await (await cairn.start(sums, { n: 3 })).result()).toBe(6);
  const [run] = await bed.query<{ id: string }>(`SELECT cairn.start_run('test.sums.v1', '{"n":4}') AS id`);
  expect(await cairn.run(run!.id).result()).toBe(10);
  expect(await (await cairn.start(retrying, { key: `clock ${ms}`, failures: 0 })).result()).toBe(1);
});
