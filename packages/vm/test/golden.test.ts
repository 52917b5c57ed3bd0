import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { type Program, SEMANTICS } from "@cairnjs/ir";
import { describe, expect, it } from "vitest";
import {
  type Effect,
  type Input,
  decodeSnapshot,
  defaultLimits,
  deliver,
  encodeDelta,
  encodeFull,
  loadProgram,
  newMachine,
  proceed,
} from "../src/index.ts";
import { bodyImage, startInput } from "./runs.ts";

/**
 * Programs and snapshots as they were once stored, resumed by every later build: whoever changes what they do, or
 * how they are read, has changed the meaning of runs that are asleep somewhere. A new format or `semantics` gets new
 * files; the old ones stay. `CAIRN_ADD_GOLDEN=1` adds files that are missing, and never changes one that is there.
 */
interface Golden {
  readonly program: Program;
  /** A full snapshot, and deltas. */
  readonly parts: readonly string[];
  readonly blobs: Readonly<Record<string, string>>;
  readonly input: Input | null;
  readonly effects: readonly Effect[];
}

const folder = new URL("golden/", import.meta.url);
const preludes = new URL("../src/prelude/", import.meta.url);
const isAdding = process.env["CAIRN_ADD_GOLDEN"] === "1";

/** Bodies that stop, after so many instructions of their first input, in the middle of what their name says. */
const bodies: Readonly<Record<string, readonly [instructions: number, body: string]>> = {
  "waiting-for-an-action": [1e9, "const r = await act({ n: 1 }); return { r, at: Date.now(), luck: Math.random() };"],
  "in-a-comparator": [120, "const a = [5, 3, 9, 1, 7].sort((x, y) => x - y); return a.map((x) => x * 2);"],
  "in-a-replacer": [
    60,
    'return "a1b22".replace(/[0-9]+/g, (d) => `<${d}>`) + JSON.stringify({ toJSON() { return [1]; } });',
  ],
  "in-an-iteration": [
    70,
    "const m = new Map([['a', 1], ['b', 2], ['c', 3]]); let s = 0; for (const [k, v] of m) { m.delete(k); s += v; } return [s, m.size];",
  ],
  "among-promises": [
    1e9,
    "const r = await Promise.race([act(1), Promise.allSettled([act(2), Promise.reject(3)])]); return r;",
  ],
  "with-deltas": [
    40,
    "const list = []; for (let i = 0; i < 9; i++) { list[i % 3] = { i, before: list.at(-1) ?? null }; list.push(new Map([[i, list.length]])); } return [list.length, list[0], await act(list.at(-1))];",
  ],
  "with-blobs": [
    1e9,
    'const long = "0123456789".repeat(9); const kept = { long, again: long }; await act(1); return kept;',
  ],
};
const DELTAS = 3;
const BLOB_LENGTH_MIN = 64;

describe("golden programs and snapshots", () => {
  if (isAdding) addMissing();
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

  it("are there for every kind of state", () => {
    const names = files.map((file) => file.replace(/^semantics-\d+-|\.json$/g, ""));
    expect(names).toEqual(expect.arrayContaining(Object.keys(bodies)));
  });

  it.each(readdirSync(preludes).filter((name) => /^prelude-\d+\.ts$/.test(name)))("%s never changes", (file) => {
    const digest = createHash("sha256")
      .update(readFileSync(new URL(file, preludes)))
      .digest("hex");
    const pinned = new URL(file.replace(".ts", ".sha256"), folder);
    if (isAdding && !existsSync(pinned)) writeFileSync(pinned, `${digest}\n`);
    expect(digest).toBe(readFileSync(pinned, "utf8").trim());
  });

  it.each(files)("%s goes on as it always did", (file) => {
    const golden = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Golden;
    expect(resume(golden)).toEqual(golden.effects);
  });
});

function resume({ program, parts, blobs, input }: Omit<Golden, "effects">): readonly Effect[] {
  const findBlob = (digest: string): Uint8Array | undefined => Buffer.from(blobs[digest] ?? "", "base64");
  const snapshot = parts.map((part) => Buffer.from(part, "base64"));
  const machine = decodeSnapshot(loadProgram(program), snapshot, defaultLimits, findBlob);
  const delivery = input === null ? proceed(machine) : deliver(machine, input);
  return delivery.done ? delivery.effects : [];
}

function addMissing(): void {
  for (const [name, [instructions, body]] of Object.entries(bodies)) {
    const file = new URL(`semantics-${SEMANTICS}-${name}.json`, folder);
    if (existsSync(file)) continue;
    const image = bodyImage(body);
    const machine = newMachine(image);
    let delivery = deliver(machine, startInput(), instructions);
    const options = { blobLengthMin: BLOB_LENGTH_MIN };
    const encoded = [encodeFull(machine, options)];
    const deltas = name === "with-deltas" ? DELTAS : 0;
    while (encoded.length <= deltas) {
      delivery = proceed(machine, instructions);
      encoded.push(encodeDelta(machine, options));
    }
    const blobs = encoded.flatMap((part) => [...part.blobs].map(([digest, bytes]) => [digest, base64(bytes)]));
    const input: Input | null = delivery.done ? { kind: "result", at: 2_000, call: "1.0", value: '{"ok":true}' } : null;
    const stored = {
      program: image.program,
      parts: encoded.map(({ bytes }) => base64(bytes)),
      blobs: Object.fromEntries(blobs) as Record<string, string>,
      input,
    };
    writeFileSync(file, `${JSON.stringify({ ...stored, effects: resume(stored) })}\n`);
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
