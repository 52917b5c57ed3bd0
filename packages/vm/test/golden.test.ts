import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import type { Program } from "@cairnjs/ir";
import { describe, expect, it } from "vitest";
import {
  type Effect,
  type Input,
  decodeSnapshot,
  deliver,
  encodeFull,
  loadProgram,
  newMachine,
  proceed,
} from "../src/index.ts";
import { preludeText } from "../src/prelude/prelude-1.ts";
import { bodyImage, startInput } from "./runs.ts";

/**
 * Programs and snapshots as they were once stored, resumed by every later build: whoever changes what they do, or
 * how they are read, has changed the meaning of runs that are asleep somewhere. A new format or `semantics` gets new
 * files; the old ones stay. `CAIRN_ADD_GOLDEN=1` adds files that are missing, and never changes one that is there.
 */
interface Golden {
  readonly program: Program;
  readonly snapshot: string;
  readonly input: Input | null;
  readonly effects: readonly Effect[];
}

const folder = new URL("golden/", import.meta.url);
const pinned = new URL("prelude-1.sha256", folder);

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
};

describe("golden programs and snapshots", () => {
  if (process.env["CAIRN_ADD_GOLDEN"] === "1") addMissing();
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

  it("are there for every kind of state", () => {
    expect(files.length).toBeGreaterThanOrEqual(Object.keys(bodies).length);
  });

  it("the prelude of a semantics number never changes", () => {
    const digest = createHash("sha256").update(preludeText).digest("hex");
    if (process.env["CAIRN_ADD_GOLDEN"] === "1" && !existsSync(pinned)) writeFileSync(pinned, `${digest}\n`);
    expect(digest).toBe(readFileSync(pinned, "utf8").trim());
  });

  it.each(files)("%s goes on as it always did", (file) => {
    const golden = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Golden;
    expect(resume(golden)).toEqual(golden.effects);
  });
});

function resume({ program, snapshot, input }: Golden): readonly Effect[] {
  const machine = decodeSnapshot(loadProgram(program), [Buffer.from(snapshot, "base64")]);
  const delivery = input === null ? proceed(machine) : deliver(machine, input);
  return delivery.done ? delivery.effects : [];
}

function addMissing(): void {
  for (const [name, [instructions, body]] of Object.entries(bodies)) {
    const file = new URL(`semantics-1-${name}.json`, folder);
    if (existsSync(file)) continue;
    const image = bodyImage(body);
    const machine = newMachine(image);
    const delivery = deliver(machine, startInput(), instructions);
    const input: Input | null = delivery.done ? { kind: "result", at: 2_000, call: "1.0", value: '{"ok":true}' } : null;
    const stored = {
      program: image.program,
      snapshot: Buffer.from(encodeFull(machine).bytes).toString("base64"),
      input,
    };
    const golden = { ...stored, effects: resume({ ...stored, effects: [] }) };
    writeFileSync(file, `${JSON.stringify(golden)}\n`);
  }
}
