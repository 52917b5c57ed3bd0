import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { relative } from "node:path";
import { expect, it, vi } from "vitest";
import { blobDigest } from "../../src/blobs/blob-store.ts";
import { FileBlobs } from "../../src/blobs/file-blobs.ts";
import { until } from "../support/test-engine.ts";
import { temporaryFolder } from "../support/test-run.ts";

/** What was done to files and folders, in order. */
const { done } = vi.hoisted(() => ({ done: [] as string[][] }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const open = async (...args: Parameters<typeof real.open>): Promise<FileHandle> => {
    const handle = await real.open(...args);
    const path = String(args[0]);
    return new Proxy(handle, {
      get: (target, name) => {
        if (name === "sync" || name === "writeFile") done.push([name, path]);
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
  };
  const rename = async (from: string, to: string): Promise<void> => {
    done.push(["rename", from, to]);
    await real.rename(from, to);
  };
  return { ...real, open, rename };
});

it("B1: a file is on the disk before it has its name, and its name is before anyone is told", async () => {
  const folder = temporaryFolder("blobs");
  const blobs = new FileBlobs(folder);
  const bytes = randomBytes(1_000);
  const digest = blobDigest(bytes);
  const shard = digest.slice(0, 2);
  const since = async (work: () => Promise<unknown>): Promise<string[][]> => {
    done.length = 0;
    await work();
    const draft = /\.[-0-9a-f]+\.tmp$/;
    return done.map(([what, ...paths]) => [
      what!,
      ...paths.map((path) => relative(folder, path).replace(draft, ".tmp")),
    ]);
  };
  const place = `${shard}/${digest}`;
  expect(await since(() => blobs.put(bytes))).toEqual([
    ["sync", ""],
    ["writeFile", `${place}.tmp`],
    ["sync", `${place}.tmp`],
    ["rename", `${place}.tmp`, place],
    ["sync", shard],
  ]);
  // Whoever wrote it may have gone down before the last of these.
  expect(await since(() => blobs.put(bytes))).toEqual([["sync", shard]]);
  expect(await since(() => new FileBlobs(folder).put(bytes))).toEqual([
    ["sync", ""],
    ["sync", shard],
  ]);
});

const WRITER = `
  import { FileBlobs } from ${JSON.stringify(new URL("../../dist/blobs/file-blobs.js", import.meta.url))};
  import { randomBytes } from "node:crypto";
  const blobs = new FileBlobs(process.argv[1]);
  for (;;) await blobs.putMany(Array.from({ length: 16 }, () => randomBytes(200_000)));
`;

it("what writers that are killed leave behind is whole, or has no name", async () => {
  const folder = temporaryFolder("blobs");
  const filesIn = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  for (let round = 1; round <= 5; round++) {
    const before = filesIn().length;
    const writer = spawn(process.execPath, ["--input-type=module", "-e", WRITER, folder], { stdio: "inherit" });
    await until(async () => filesIn().length > before + 5 * round);
    writer.kill("SIGKILL");
    await once(writer, "exit");
  }
  const named = filesIn().filter((name) => /^[0-9a-f]{64}$/.test(name));
  expect(named.length).toBeGreaterThan(20);
  const blobs = new FileBlobs(folder);
  for (const digest of named) expect(await blobs.get(digest)).toHaveLength(200_000);
});
