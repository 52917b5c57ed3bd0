import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ExportedRun } from "@cairnjs/schemas/rest";
import { describe, expect, it } from "vitest";
import { replayRun } from "../../src/library/replay-run.ts";
import { Archive } from "../../src/maintenance/archive.ts";
import { makePastPartitions } from "../support/many-runs.ts";
import { testBed } from "../support/test-engine.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { approved, retrying, sums } from "../workflows/basics.ts";
import { produces } from "../workflows/large.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

function archived(folder: string): ExportedRun[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl.gz"));
  return files.flatMap((name) =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as ExportedRun),
  );
}

describe("the archive", () => {
  it("has every run that was removed, with all that it takes to run it again", async () => {
    const bed = await testBed();
    const archive = temporaryFolder("archive");
    const cairn = await bed.open({ onWarning: () => {}, retention: { runs: "1d", archive } });
    const turned = await cairn.start(approved, undefined);
    for (const text of ["one", "two"]) await turned.signal("approval", text);
    await turned.result();
    await turned.rollback(1);
    await turned.result();
    const runs = [
      turned,
      await cairn.start(sums, { n: 20 }),
      await cairn.start(retrying, { key: "archived", failures: 0 }),
      // More than is compressed at a time.
      ...(await Promise.all(Array.from({ length: 9 }, () => cairn.start(produces, "x")))),
    ];
    const results = await Promise.all(runs.map((run) => run.result()));
    const live = await cairn.start(approved, undefined);
    await bed.advance(2 * DAY_MS);
    expect(await cairn.retention.run()).toMatchObject({ runsRemoved: 12, runsArchived: 12 });
    const lines = archived(archive);
    expect(lines.map(({ run }) => run.id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
    for (const line of lines) {
      expect(line.run.result).toEqual(results[runs.findIndex(({ id }) => id === line.run.id)]);
      expect(await replayRun(line)).toMatchObject({ id: line.run.id, diverged: null });
    }
    expect((await live.status()).endedAt).toBeNull();
  });

  it("is written before anything is removed: what cannot be written stays, and after a crash in between it is in both", async () => {
    const bed = await testBed();
    const folder = temporaryFolder("archive");
    const archive = join(folder, "here");
    const cairn = await bed.open({ onWarning: () => {}, retention: { runs: "1d", archive } });
    const run = await cairn.start(sums, { n: 2 });
    await run.result();
    await makePastPartitions(bed, 6);
    await bed.advance(2 * DAY_MS);
    // A file is in the place of the folder.
    writeFileSync(archive, "");
    const partitions = "SELECT count(*)::int FROM pg_inherits WHERE inhparent = 'cairn.history'::regclass";
    const before = await bed.query<{ count: number }>(partitions);
    await expect(cairn.retention.run()).rejects.toThrow("The archive cannot be written: ENOTDIR");
    // What comes after it is done.
    expect((await bed.query<{ count: number }>(partitions))[0]!.count).toBeLessThan(before[0]!.count - 3);
    expect((await run.status()).status).toBe("succeeded");
    const other = await bed.open({
      onWarning: () => {},
      retention: { runs: "1d", archive: join(folder, "there") },
    });
    // As if the process had gone down after the file was written.
    await bed.query("ALTER FUNCTION cairn.remove_runs RENAME TO remove_runs_later");
    await expect(other.retention.run()).rejects.toThrow("remove_runs");
    expect(archived(join(folder, "there"))).toHaveLength(1);
    expect((await run.status()).status).toBe("succeeded");
    await bed.query("ALTER FUNCTION cairn.remove_runs_later RENAME TO remove_runs");
    expect(await other.retention.run()).toMatchObject({ runsRemoved: 1, runsArchived: 1 });
    expect(archived(join(folder, "there")).map((each) => each.run.id)).toEqual([run.id, run.id]);
    await expect(run.status()).rejects.toMatchObject({ code: "NotFound" });
  });

  it("stays within its folder, whatever namespaces were allowed once", async () => {
    const outside = temporaryFolder("archive");
    const sources = (): never => {
      throw new Error("nothing to read");
    };
    const archive = new Archive({ folder: join(outside, "here"), sources, now: 0, warn: () => {} });
    for (const namespace of [".", ".."]) expect(await archive.write(namespace, ["run"])).toEqual([]);
    expect(readdirSync(outside)).toEqual(["here"]);
    expect(readdirSync(join(outside, "here")).toSorted()).toEqual(["%2E", "%2E%2E"]);
  });

  it("keeps a run that it cannot have, and has the others", async () => {
    const bed = await testBed();
    const archive = temporaryFolder("archive");
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const cairn = await bed.open({ onWarning, retention: { runs: "1d", archive } });
    const broken = await cairn.start(produces, "y");
    const whole = await cairn.start(produces, "z");
    for (const run of [broken, whole]) await run.result();
    await bed.query(
      `DELETE FROM cairn.blobs WHERE digest = (SELECT decode(result->>'$blob', 'hex') FROM cairn.runs WHERE id = $1)`,
      broken.id,
    );
    await bed.advance(2 * DAY_MS);
    expect(await cairn.retention.run()).toMatchObject({ runsRemoved: 1, runsArchived: 1 });
    expect(warnings).toContain(`The run ${broken.id} cannot be archived, and is not removed`);
    expect((await broken.status()).status).toBe("succeeded");
  });
});
