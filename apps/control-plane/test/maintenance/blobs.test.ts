import { randomBytes } from "node:crypto";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BlobStore, SweptBlobs } from "../../src/blobs/blob-store.ts";
import { FileBlobs } from "../../src/blobs/file-blobs.ts";
import { PostgresBlobs } from "../../src/blobs/postgres-blobs.ts";
import type { CairnOptions } from "../../src/index.ts";
import { openPool } from "../../src/store/connection.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { everywhere, hears, large, produces } from "../workflows/large.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

interface Bed {
  readonly bed: TestBed;
  readonly options: CairnOptions;
  open(): BlobStore & SweptBlobs;
  count(): Promise<number>;
  /** Lets time pass, for the store too. */
  advance(ms: number): Promise<void>;
}

async function inPostgres(): Promise<Bed> {
  const bed = await testBed();
  const open = (): PostgresBlobs => {
    const pool = openPool(bed.url, "test");
    onTestFinished(() => pool.end());
    return new PostgresBlobs(pool);
  };
  return {
    bed,
    options: { onWarning: () => {} },
    open,
    count: async () => (await bed.query("SELECT FROM cairn.blobs")).length,
    advance: (ms) => bed.advance(ms),
  };
}

async function inFolder(): Promise<Bed> {
  const bed = await testBed();
  const folder = temporaryFolder("blobs");
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /[0-9a-f]{64}$/.test(name));
  let passedMs = 0;
  return {
    bed,
    options: { onWarning: () => {}, blobs: { folder } },
    open: () => new FileBlobs(folder),
    count: async () => files().length,
    advance: async (ms) => {
      await bed.advance(ms);
      passedMs += ms;
      for (const file of files()) {
        const at = (Date.now() - passedMs) / 1_000;
        utimesSync(join(folder, file), at, at);
      }
    },
  };
}

describe.each([
  ["in Postgres", inPostgres],
  ["in a folder", inFolder],
])("blobs %s", (_, open) => {
  it("go a week after nothing names them any more, and those of live and of kept runs stay", async () => {
    const { bed, options, count, advance } = await open();
    const cairn = await bed.open({ ...options, retention: { runs: "1d" } });
    await cairn.retention.set({ what: "runs", type: "large.everywhere.v1", keep: "forever" });
    // Large as an input, as a result, as a signal, as the input and the result of a child.
    const kept = await cairn.start(everywhere, { text: large("a"), letter: "b" });
    await kept.signal("news", large("c"));
    const result = await kept.result();
    const steps = await kept.steps();
    for (const letter of ["g", "h"]) await (await cairn.start(produces, letter)).result();
    const live = await cairn.start(hears, undefined);
    await live.signal("news", large("d"));
    await until(async () => (await live.history()).length === 2);
    const before = await count();
    await advance(3 * DAY_MS);
    expect(await cairn.retention.run()).toMatchObject({ runsRemoved: 2, blobsRemoved: 0 });
    await advance(6 * DAY_MS);
    expect((await cairn.retention.run()).blobsRemoved).toBe(0);
    expect(await count()).toBe(before);
    await advance(2 * DAY_MS);
    expect((await cairn.retention.run()).blobsRemoved).toBe(2);
    expect(await count()).toBe(before - 2);
    expect((await live.steps()).length).toBe(2);
    await live.signal("news", "x");
    expect(await live.result()).toBe("d1000000 x");
    await advance(10 * DAY_MS);
    await cairn.retention.run();
    expect(await kept.result()).toEqual(result);
    expect(await kept.steps()).toEqual(steps);
  });

  it("that are put again while they are removed are there afterwards", async () => {
    const { open: store, advance } = await open();
    const [putter, sweeper] = [store(), store()];
    const blobs = Array.from({ length: 30 }, () => randomBytes(1_000));
    let digests = await putter.putMany(blobs);
    const random = (): number => Math.floor(Math.random() * 3);
    for (let round = 0; round < 6; round++) {
      await advance(30 * DAY_MS);
      // Against each other, each at its own time.
      const removing = digests.map(async (digest) => {
        await delay(random());
        return sweeper.removeUntouched([digest], 7 * DAY_MS);
      });
      const putting = blobs.map(async (bytes) => {
        await delay(random());
        return putter.put(bytes);
      });
      await Promise.all(removing);
      digests = await Promise.all(putting);
      for (const [index, digest] of digests.entries()) {
        expect((await putter.get(digest)).equals(blobs[index]!)).toBe(true);
      }
      // What was put just now is not removed by those who come later either.
      expect(await sweeper.removeUntouched(digests, 7 * DAY_MS)).toBe(0);
    }
    await advance(30 * DAY_MS);
    await putter.put(blobs[0]!);
    expect(await sweeper.removeUntouched(digests, 7 * DAY_MS)).toBe(29);
    expect(await putter.get(digests[0]!)).toHaveLength(1_000);
  });
});
