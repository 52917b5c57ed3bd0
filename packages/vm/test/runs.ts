import { compile } from "@cairnjs/compiler";
import {
  type Delivery,
  type Effect,
  type Image,
  type Input,
  type Limits,
  type Machine,
  decodeSnapshot,
  defaultLimits,
  deliver,
  encodeFull,
  loadProgram,
  newMachine,
  proceed,
} from "../src/index.ts";

/** Compiles a body, written as the module's text after the import, and makes it ready to run. */
export function imageOf(source: string): Image {
  const text = `import { action, compensate, emit, mapLimit, progress, runInfo, signal, sleep, step, workflow } from "cairnjs";\n${source}`;
  const { workflows, diagnostics } = compile("/test.ts", { resolve: () => null, read: () => text });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return loadProgram(workflows[0]!.program);
}

/** A workflow whose body is `body`, with an action `act` that tests answer themselves. */
export function bodyImage(body: string): Image {
  return imageOf(`
const act = action("act", async (value: unknown): Promise<any> => value);
const undo = action("undo", async (value: unknown): Promise<any> => value);
const again = workflow("again", async (value: unknown): Promise<any> => value);
export default workflow("test.body", async (input: any): Promise<any> => { ${body} });`);
}

const runInfo = {
  id: "018f0000-0000-7000-8000-000000000000",
  type: "test.body",
  version: "1",
  namespace: "default",
  attempt: 1,
  startedAt: 0,
  parent: null,
  tags: ["blue"],
};

export function startInput(value = "null"): Input {
  return { kind: "start", at: 1_000, value, seed: "seed", info: runInfo };
}

/** Answers each call with its first argument, each sleep when due, until the run has ended or only waits. */
export function runToEnd(image: Image, value = "null", limits: Limits = defaultLimits): Effect[] {
  const machine = newMachine(image, limits);
  return runInputs(machine, startInput(value), (given, input) => deliver(given, input));
}

/** A run that has lost its way fails a test, and does not hang it. */
const INPUTS_MAX = 1000;

export function runInputs(
  machine: Machine,
  first: Input,
  give: (machine: Machine, input: Input) => Delivery,
): Effect[] {
  const all: Effect[] = [];
  const inputs: Input[] = [first];
  let given = 0;
  for (let input = inputs.shift(); input !== undefined; input = inputs.shift()) {
    if (++given > INPUTS_MAX) throw new Error("the run asks for more and more");
    const delivery = give(machine, input);
    if (!delivery.done) throw new Error("the input is not done");
    all.push(...delivery.effects);
    for (const effect of delivery.effects) {
      const answer = answerTo(effect, input.at);
      if (answer !== null) inputs.push(answer);
    }
  }
  return all;
}

export function answerTo(effect: Effect, at: number): Input | null {
  if (effect.kind === "call") {
    const [first] = JSON.parse(effect.args) as unknown[];
    return { kind: "result", at: at + 1, call: effect.id, value: JSON.stringify(first ?? null) };
  }
  if (effect.kind === "sleep") return { kind: "timer", at: effect.until, call: effect.id };
  return null;
}

/** Runs with a snapshot, a restore and a new machine between every two instructions. */
export function runRestoring(image: Image, value = "null", limits: Limits = defaultLimits): Effect[] {
  let machine = newMachine(image, limits);
  return runInputs(machine, startInput(value), (_, input) => {
    let delivery = deliver(machine, input, 1);
    while (!delivery.done) {
      machine = decodeSnapshot(image, [encodeFull(machine).bytes], limits);
      delivery = proceed(machine, 1);
    }
    machine = decodeSnapshot(image, [encodeFull(machine).bytes], limits);
    return delivery;
  });
}

export function endOf(effects: readonly Effect[]): Extract<Effect, { kind: "end" }> {
  const end = effects.find((effect) => effect.kind === "end");
  if (end === undefined) throw new Error("the run has not ended");
  return end;
}

/** Name of the error that a run failed with. */
export function failureOf(effects: readonly Effect[]): string {
  const end = endOf(effects);
  if (end.status === "succeeded") throw new Error(`the run succeeded: ${end.value}`);
  const { $error } = JSON.parse(end.value) as { $error: { names: string[] } };
  return $error.names[0]!;
}

export function resultOf(effects: readonly Effect[]): unknown {
  const end = endOf(effects);
  if (end.status !== "succeeded") throw new Error(`the run ${end.status}: ${end.value}`);
  return JSON.parse(end.value);
}
