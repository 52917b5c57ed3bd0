import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { blobDigest, type BlobStore } from "../../src/blobs/blob-store.ts";
import { FileBlobs } from "../../src/blobs/file-blobs.ts";
import { openBlobs } from "../../src/blobs/open-blobs.ts";
import { PostgresBlobs } from "../../src/blobs/postgres-blobs.ts";
import { openPool } from "../../src/store/connection.ts";
import { testBed } from "../support/test-engine.ts";
import { temporaryFolder } from "../support/test-run.ts";

/** A store, and how others see it: damage to what it has, what it has, and another one on the same. */
interface Bed {
  readonly blobs: BlobStore;
  another(): BlobStore;
  overwrite(digest: string, bytes: Buffer): Promise<void>;
  remove(digest: string): Promise<void>;
  digests(): Promise<string[]>;
}

const NOWHERE = blobDigest(Buffer.from("nowhere"));

async function postgresBed(): Promise<Bed> {
  const bed = await testBed();
  const pool = (): pg.Pool => {
    const opened = openPool(bed.url, "test");
    onTestFinished(() => opened.end());
    return opened;
  };
  return {
    blobs: new PostgresBlobs(pool()),
    another: () => new PostgresBlobs(pool()),
    overwrite: async (digest, bytes) => {
      await bed.query("UPDATE cairn.blobs SET bytes = $2 WHERE digest = decode($1, 'hex')", digest, bytes);
    },
    remove: async (digest) => {
      await bed.query("DELETE FROM cairn.blobs WHERE digest = decode($1, 'hex')", digest);
    },
    digests: async () =>
      (await bed.query<{ digest: string }>("SELECT encode(digest, 'hex') AS digest FROM cairn.blobs")).map(
        ({ digest }) => digest,
      ),
  };
}

async function fileBed(folder = temporaryFolder("blobs")): Promise<Bed> {
  const place = (digest: string): string => join(folder, digest.slice(0, 2), digest);
  return {
    blobs: new FileBlobs(folder),
    another: () => new FileBlobs(folder),
    overwrite: async (digest, bytes) => writeFileSync(place(digest), bytes),
    remove: async (digest) => rmSync(place(digest)),
    digests: async () => filesIn(folder).filter((name) => /^[0-9a-f]{64}$/.test(name)),
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

describe.each([
  ["in Postgres", postgresBed],
  ["in a folder", fileBed],
])("blobs %s", (_, open) => {
  it("come back byte for byte, also empty ones and large ones", async () => {
    const { blobs } = await open();
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from([0, 255, 0x5c, 0x78]),
      randomBytes(3_000_000),
      new Uint8Array(new ArrayBuffer(10), 2, 3),
    ]) {
      const digest = await blobs.put(bytes);
      expect(digest).toBe(blobDigest(bytes));
      expect((await blobs.get(digest)).equals(bytes)).toBe(true);
    }
  });

  it("are there for others as soon as they are put", async () => {
    const { blobs, another } = await open();
    const digest = await blobs.put(Buffer.from("shared"));
    expect((await another().get(digest)).toString()).toBe("shared");
  });

  it("many at once give their digests in order, and equal ones are one blob", async () => {
    const { blobs, digests } = await open();
    const many = Array.from({ length: 250 }, (_each, index) => Buffer.from(`blob ${index % 200}`));
    expect(await blobs.putMany(many)).toEqual(many.map(blobDigest));
    expect(await digests()).toHaveLength(200);
    expect(await blobs.putMany([])).toEqual([]);
    const large = Array.from({ length: 5 }, () => randomBytes(3_000_000));
    for (const digest of await blobs.putMany(large)) expect(await blobs.get(digest)).toHaveLength(3_000_000);
  });

  it("are written once, however often and by whomever they are put, at the same time too", async () => {
    const { blobs, another, digests } = await open();
    const bytes = Array.from({ length: 20 }, () => randomBytes(100_000));
    const stores = [blobs, another(), another()];
    // In opposite orders: whoever waits for another one must not be waited for.
    await Promise.all(
      Array.from({ length: 12 }, (_each, index) =>
        stores[index % 3]!.putMany(index % 2 === 0 ? bytes : bytes.toReversed()),
      ),
    );
    expect((await digests()).sort()).toEqual(bytes.map(blobDigest).sort());
  });

  it("that are missing are missing by name", async () => {
    const { blobs, remove } = await open();
    await expect(blobs.get(NOWHERE)).rejects.toMatchObject({ code: "BlobMissing", digest: NOWHERE });
    await expect(blobs.get(NOWHERE)).rejects.toThrow(NOWHERE);
    const digest = await blobs.put(Buffer.from("soon gone"));
    await remove(digest);
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: "BlobMissing" });
    expect(await blobs.put(Buffer.from("soon gone"))).toBe(digest);
    expect((await blobs.get(digest)).toString()).toBe("soon gone");
  });

  it("that were truncated, or have one bit flipped, are never given to anyone", async () => {
    const { blobs, overwrite } = await open();
    const bytes = randomBytes(300_000);
    const digest = await blobs.put(bytes);
    await overwrite(digest, bytes.subarray(0, 299_999));
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: "BlobCorrupt", digest });
    await overwrite(digest, Buffer.alloc(0));
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: "BlobCorrupt" });
    const flipped = Buffer.from(bytes);
    flipped[150_000]! ^= 1;
    await overwrite(digest, flipped);
    await expect(blobs.get(digest)).rejects.toThrow(`The blob ${digest}`);
  });

  it("are asked for by digests alone: nothing else is looked for", async () => {
    const { blobs } = await open();
    await blobs.put(Buffer.from("here"));
    for (const hostile of [
      "",
      "..",
      "../../../../etc/passwd",
      `../${NOWHERE}`,
      `${NOWHERE}/../../secret`,
      NOWHERE.toUpperCase(),
      NOWHERE.slice(1),
      `${NOWHERE}\n`,
      `${NOWHERE}0`,
      "\0".repeat(64),
      "zz".repeat(32),
      "'); DROP TABLE cairn.blobs; --".padEnd(64),
    ]) {
      await expect(blobs.get(hostile)).rejects.toMatchObject({ code: "InvalidDigest" });
    }
  });
});

describe("blobs in a folder", () => {
  it("what a crash has left behind is never served, and in nobody's way", async () => {
    const folder = temporaryFolder("blobs");
    const blobs = new FileBlobs(folder);
    const bytes = randomBytes(1_000);
    const digest = await blobs.put(bytes);
    const place = join(folder, digest.slice(0, 2), digest);
    rmSync(place);
    writeFileSync(`${place}.draft.tmp`, bytes.subarray(0, 500));
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: "BlobMissing" });
    await blobs.put(bytes);
    expect((await blobs.get(digest)).equals(bytes)).toBe(true);
    expect(readFileSync(`${place}.draft.tmp`)).toHaveLength(500);
  });

  it("one that was damaged is mended when it is put again", async () => {
    const folder = temporaryFolder("blobs");
    const blobs = new FileBlobs(folder);
    const bytes = randomBytes(1_000);
    const digest = await blobs.put(bytes);
    truncateSync(join(folder, digest.slice(0, 2), digest), 10);
    await blobs.put(bytes);
    expect((await blobs.get(digest)).equals(bytes)).toBe(true);
  });

  it("leave nothing beside themselves, and nothing when they cannot be written", async () => {
    const folder = temporaryFolder("blobs");
    const blobs = new FileBlobs(folder);
    const digests = await blobs.putMany(Array.from({ length: 100 }, () => randomBytes(50_000)));
    expect(filesIn(folder).sort()).toEqual([...digests].sort());
    // A folder stands where the file should be.
    const bytes = randomBytes(100);
    const place = join(folder, blobDigest(bytes).slice(0, 2), blobDigest(bytes));
    await new FileBlobs(place).put(Buffer.from("inside"));
    await expect(blobs.put(bytes)).rejects.toThrow("EISDIR");
    await expect(blobs.get(blobDigest(bytes))).rejects.toMatchObject({ code: "BlobUnreadable" });
    expect(filesIn(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("make their folder again when someone has removed it", async () => {
    const folder = temporaryFolder("blobs");
    const blobs = new FileBlobs(folder);
    const digest = await blobs.put(Buffer.from("a"));
    rmSync(folder, { recursive: true });
    await expect(blobs.put(Buffer.from("a"))).rejects.toThrow("ENOENT");
    expect(await blobs.put(Buffer.from("a"))).toBe(digest);
    expect(existsSync(join(folder, digest.slice(0, 2), digest))).toBe(true);
  });

  it("are found in the table if they were put there before there was a folder", async () => {
    const bed = await testBed();
    const digest = await openBlobs(bed.sql, null).put(Buffer.from("before"));
    const folder = temporaryFolder("blobs");
    const blobs = openBlobs(bed.sql, folder);
    expect((await blobs.get(digest)).toString()).toBe("before");
    expect(filesIn(folder)).toEqual([]);
    await blobs.put(Buffer.from("after"));
    expect(await bed.query("SELECT FROM cairn.blobs")).toHaveLength(1);
    await expect(blobs.get(NOWHERE)).rejects.toThrow(folder);
  });
});
