import { compile } from "@cairnjs/compiler";
import { type Effect, type Image, type Limits, defaultLimits, deliver, loadProgram, newMachine } from "@cairnjs/vm";

/** What became of a test as a workflow. */
export type Outcome =
  | { readonly kind: "passed" }
  /** Diagnostics, as `CODE message`, each once; where they are in the text. */
  | { readonly kind: "rejected"; readonly reasons: readonly string[]; readonly places: readonly number[] }
  /** Ended by `UnsupportedBuiltin`. */
  | { readonly kind: "refused"; readonly reasons: readonly string[]; readonly places: readonly number[] }
  | { readonly kind: "threw"; readonly name: string; readonly message: string }
  /** Never allowed: a crash, a limit, a contradiction, a promise that nothing settles. */
  | { readonly kind: "broken"; readonly name: string; readonly message: string };

/** No test of the suite needs more than about a second natively. */
const limits: Limits = { ...defaultLimits, fuelPerInputMax: 2_000_000_000 };

const BROKEN = new Set(["OutOfFuel", "StateTooLarge", "TooManyPromises", "CapturedValueWritten", "Diverged"]);

export function runOnMachine(text: string): Outcome {
  let image: Image;
  try {
    const { workflows, diagnostics } = compile("/test.ts", { resolve: () => null, read: () => text });
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    if (errors.length > 0) {
      const reasons = new Set(errors.map(({ code, message }) => `${code} ${message}`));
      return { kind: "rejected", reasons: [...reasons], places: errors.map(({ start }) => start) };
    }
    image = loadProgram(workflows[0]!.program);
  } catch (error) {
    return { kind: "broken", name: "Compiler", message: error instanceof Error ? error.stack! : String(error) };
  }
  return run(image);
}

function run(image: Image): Outcome {
  const machine = newMachine(image, limits);
  const delivery = deliver(machine, { kind: "start", at: 1_500_000_000_000, value: "null", seed: "seed", info });
  if (!delivery.done) return { kind: "broken", name: "Unfinished", message: "the input was not processed" };
  const end = delivery.effects.find((effect) => effect.kind === "end");
  if (end === undefined) return { kind: "broken", name: "Stuck", message: "a promise is never settled" };
  return end.status === "succeeded" ? { kind: "passed" } : failure(end);
}

const info = {
  id: "018f0000-0000-7000-8000-000000000000",
  type: "conformance",
  version: "1",
  namespace: "default",
  attempt: 1,
  startedAt: 0,
  parent: null,
  tags: [],
};

function failure(end: Extract<Effect, { kind: "end" }>): Outcome {
  const thrown = JSON.parse(end.value) as { $error?: { names: string[]; message?: string } } | null;
  if (typeof thrown !== "object" || thrown?.$error === undefined)
    return { kind: "threw", name: "", message: end.value };
  const { names, message = "" } = thrown.$error;
  const name = names[0]!;
  if (name === "UnsupportedBuiltin") {
    return { kind: "refused", reasons: [message], places: end.trace.slice(0, 1).map(({ offset }) => offset) };
  }
  return { kind: BROKEN.has(name) ? "broken" : "threw", name, message };
}
