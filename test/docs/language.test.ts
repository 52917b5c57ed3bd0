import { decodeNative } from "@cairnjs/ir";
import type { SignalValues } from "cairnjs";
import { beforeAll, describe, expect, it } from "vitest";
import { ExampleModules, type LoadedExample } from "./example-modules.ts";
import { languageExamples, type Promised } from "./examples.ts";
import { type Outcome, runNatively, runOnMachine } from "./run-example.ts";

// What the language promises, on every machine.
process.env["TZ"] = "UTC";

const all = languageExamples();
const pages = [...new Set(all.map(({ page }) => page))];

describe.each(pages)("docs/language/%s.md", (page) => {
  const examples = all.filter((example) => example.page === page);
  const modules = new ExampleModules(page, examples);
  const load = (file: string): Promise<unknown> => import(modules.nativePath(file));
  beforeAll(() => modules.writeNative());

  it.each(examples.filter(({ kind }) => kind === "workflow").map((each) => [each.line, each] as const))(
    "line %i gives natively, on the machine and restored everywhere what the page says",
    async (_, example) => {
      const programs = modules.compile(example.file);
      const { input, signals = {}, default: workflow } = (await load(example.file)) as Exports;
      const args = input === undefined ? [] : [input];
      const native = await runNatively(() => workflow(...args), signals);
      expectPromised(example.promised, native);
      const loadedModules = (await Promise.all(modules.reachableFrom(example.file).map(load))) as LoadedExample[];
      const run = { programs, modules: loadedModules, input, signals };
      for (const restoreEverywhere of [false, true]) {
        expect(await runOnMachine({ ...run, restoreEverywhere })).toEqual(native);
      }
    },
  );

  const tests = examples.filter(({ kind }) => kind === "unit test");
  it.each(tests.map((each) => [each.line, each] as const))("line %i holds in a unit test", async (_, example) => {
    const { test } = (await load(example.file)) as { test: () => unknown };
    expectPromised(example.promised, await runNatively(test, {}));
  });
});

interface Exports {
  readonly default: (...args: unknown[]) => unknown;
  readonly input?: unknown;
  readonly signals?: SignalValues;
}

function expectPromised(promised: Promised, outcome: Outcome): void {
  if (promised.throws === undefined) expect(decoded(outcome)).toStrictEqual(valueOf(promised.result));
  else expect(outcome.throws).toBe(promised.throws);
  if (promised.calls !== undefined) expect(outcome.calls).toEqual(valueOf(promised.calls));
  if (promised.logs !== undefined) expect(outcome.logs).toEqual(valueOf(promised.logs));
  if (promised.events !== undefined) expect(outcome.events).toEqual(valueOf(promised.events));
}

function decoded({ result, throws }: Outcome): unknown {
  if (result === undefined) throw new Error(`The example throws ${throws}`);
  return decodeNative(result);
}

/** A promise is written as an expression. */
function valueOf(text: string | undefined): unknown {
  if (text === undefined) throw new Error("The page does not say what the example gives");
  // Pages are part of the repository, and their comments hold expressions such as `new Map([["a", 1]])`.
  // oxlint-disable-next-line no-implied-eval, no-new-func
  return new Function(`return (${text});`)() as unknown;
}
