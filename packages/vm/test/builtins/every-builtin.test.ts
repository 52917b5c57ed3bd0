import { builtins } from "@cairnjs/ir";
import { describe, expect, test } from "vitest";
import { type Image, deliver, newMachine } from "../../src/index.ts";
import { answerTo, endOf, imageOf, runToEnd, startInput } from "../runs.ts";
import { runWatched } from "../watched.ts";
import { PREAMBLE, type Use, usesOf } from "./uses.ts";

/** Constants are read like any property, prototypes and namespaces only hold others. */
const used = builtins.filter(({ kind }) => ["function", "constructor", "getter"].includes(kind));

const cases: [title: string, use: Use][] = used.flatMap((builtin) =>
  usesOf(builtin).map((use): [string, Use] => [`${builtin.path}: ${use.before} ${use.call}`, use]),
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

describe("a built-in pays for its work", () => {
  test.each(cases)("%s", (_, use) => {
    const whole = imageFor(use.before, use.call);
    const besides = imageFor(use.before, use.besides ?? "");
    const fuel = (size: number): number => fuelOfCall(whole, size) - fuelOfCall(besides, size);
    const [small, large] = [fuel(SMALL), fuel(LARGE)];
    if (use.constant !== undefined) {
      // It says that there is no work, not that it is free: that it does not grow is to be seen too.
      expect(large).toBeLessThan(Math.max(4 * small, 400));
      return;
    }
    expect(large).toBeGreaterThanOrEqual(LARGE / 100);
    expect(large).toBeGreaterThanOrEqual(4 * small);
  });
});

/** Fuel of the second input: the one that makes the call. */
function fuelOfCall(image: Image, size: number): number {
  const machine = newMachine(image);
  const started = deliver(machine, startInput(String(size)));
  if (!started.done) throw new Error("the start is not done");
  const call = started.effects.find(({ kind }) => kind === "call");
  if (call === undefined) throw new Error(`there is no call: ${JSON.stringify(started.effects).slice(0, 500)}`);
  const delivery = deliver(machine, answerTo(call, 1_000)!);
  const end = delivery.done ? delivery.effects.find(({ kind }) => kind === "end") : undefined;
  if (end !== undefined) throw new Error(`it ended: ${JSON.stringify(end).slice(0, 500)}`);
  return machine.fuelUsed;
}
