import { appendFileSync, readFileSync } from "node:fs";
import { SEMANTICS, builtins } from "@cairnjs/ir";
import { describe, expect, test } from "vitest";
import { type Image, deliver, newMachine } from "../../src/index.ts";
import { answerTo, endOf, imageOf, runToEnd, startInput } from "../runs.ts";
import { runWatched } from "../watched.ts";
import { PREAMBLE, type Use, usesOf } from "./uses.ts";

/** Constants are read like any property, prototypes and namespaces only hold others. */
const used = builtins.filter(({ kind }) => ["function", "constructor", "getter"].includes(kind));

const cases: [title: string, use: Use][] = used.flatMap((builtin) =>
  usesOf(builtin).map((use): [string, Use] => [
    `${builtin.path}: ${use.before} ${use.call}`.replaceAll(/\s+/g, " "),
    use,
  ]),
);

/** The call stands alone in the input that answers the first action; its result lives until the next one. */
function imageFor(before: string, call: string): Image {
  return imageOf(`
import { ActionCancelled, ActionTimeout, NoHandlerRegistered, NotStorable, RunCancelled, SignalTimeout, StepChanged } from "cairnjs";
const act = action("act", async (value: unknown): Promise<any> => value);
const child = workflow("child", async (input: any): Promise<any> => input);
const go = signal<any>("go");
export default workflow("test.body", async (n: any): Promise<any> => {
  ${PREAMBLE} ${before}
  await act(0);
  const made: any = ${call === "" ? "0" : call};
  await act(1);
  return typeof made;
});`);
}

test("every entry of the list has a use", () => {
  expect(used.filter((builtin) => usesOf(builtin).length === 0).map(({ path }) => path)).toEqual([]);
});

describe("what a built-in writes is in the next delta", () => {
  test.each(cases)("%s", (_, use) => {
    const image = imageFor(use.before, use.call);
    const { effects } = runWatched(image, "3");
    expect(endOf(effects).status).toBe("succeeded");
    expect(effects).toEqual(runToEnd(image, "3"));
  });
});

const SMALL = 512;
const LARGE = SMALL * 16;

/**
 * What each use charges at the larger size, fuel and bytes. When a run fails depends on it, so it belongs to the
 * semantics: a charge that goes away is an error even where other work still grows. `CAIRN_ADD_GOLDEN=1` adds lines that
 * are missing, and never changes one that is there.
 */
const pinnedFile = new URL(`../golden/charges-${SEMANTICS}.txt`, import.meta.url);
const pinned = new Map(
  readFileSync(pinnedFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /^(\d+ \d+) (.*)$/.exec(line)!)
    .map(([, charges, title]) => [title!, charges!]),
);

describe("a built-in pays for its work", () => {
  test.each(cases)("%s", (title, use) => {
    const image = imageFor(use.before, use.call);
    const [small, large] = [costOf(image, SMALL), costOf(image, LARGE)];
    if (use.constant === undefined) {
      const besides = imageFor(use.before, use.besides ?? "");
      const work = large.fuel - costOf(besides, LARGE).fuel;
      expect(work).toBeGreaterThanOrEqual(LARGE / 100);
      expect(work).toBeGreaterThanOrEqual(4 * (small.fuel - costOf(besides, SMALL).fuel));
    } else {
      expect(large.fuel - small.fuel).toBeLessThan(64);
    }
    const { charges } = large;
    if (process.env["CAIRN_ADD_GOLDEN"] === "1" && !pinned.has(title)) {
      appendFileSync(pinnedFile, `${charges} ${title}\n`);
      pinned.set(title, charges);
    }
    expect(charges).toBe(pinned.get(title));
  });

  test("nothing is pinned that is no longer there", () => {
    const titles = new Set(cases.map(([title]) => title));
    expect([...pinned.keys()].filter((title) => !titles.has(title))).toEqual([]);
  });
});

interface Cost {
  /** Of the second input, the one that makes the call: instructions and charges. */
  readonly fuel: number;
  readonly charges: string;
}

function costOf(image: Image, size: number): Cost {
  const machine = newMachine(image);
  const started = deliver(machine, startInput(String(size)));
  const call = started.done ? started.effects.find(({ kind }) => kind === "call") : undefined;
  if (call === undefined) throw new Error(`there is no call: ${JSON.stringify(started).slice(0, 500)}`);
  const charge = machine.charge.bind(machine);
  let [fuelSum, bytesSum] = [0, 0];
  machine.charge = (fuel, bytes) => {
    fuelSum += Math.ceil(fuel);
    bytesSum += Math.ceil(bytes);
    charge(fuel, bytes);
  };
  const delivery = deliver(machine, answerTo(call, 1_000)!);
  const end = delivery.done ? delivery.effects.find(({ kind }) => kind === "end") : undefined;
  if (end !== undefined) throw new Error(`it ended: ${JSON.stringify(end).slice(0, 500)}`);
  return { fuel: machine.fuelUsed, charges: `${fuelSum} ${bytesSum}` };
}
