import { compile } from "@cairnjs/compiler";
import { deliver } from "../../src/machine/deliver.ts";
import { loadProgram, newMachine } from "../../src/machine/load.ts";
import type { Effect } from "../../src/machine/messages.ts";

/**
 * Shows any value as text, in code that runs natively and on the machine. `log` collects; a body is a piece of
 * plain JavaScript that calls it.
 */
const SHOW = `
  const lines = [];
  const show = (value) => {
    if (Array.isArray(value)) {
      let text = "[";
      for (let index = 0; index < value.length; index++) text += (index in value ? show(value[index]) : "hole") + ",";
      return text + "]" + (Object.keys(value).length > value.length ? "+" : "");
    }
    if (value instanceof Error) return value.name + ": " + value.message;
    if (typeof value === "object" && value !== null) {
      let text = "{";
      for (const key of Object.keys(value)) text += key + ":" + show(value[key]) + ",";
      return text + "}";
    }
    if (typeof value === "function") return "function " + value.name + "/" + value.length;
    if (typeof value === "string") return "'" + value + "'";
    return Object.is(value, -0) ? "-0" : String(value);
  };
  const log = (...values) => { lines.push(values.map(show).join(" ")); };
  const attempt = (run) => { try { log(run()); } catch (error) { log("threw", error); } };
`;

/** What the body logs when V8 runs it. */
export async function runNatively(body: string): Promise<string[]> {
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
    text: string,
  ) => () => Promise<string[]>;
  return new AsyncFunction(`"use strict"; ${SHOW}\n${body}\nreturn lines;`)();
}

/** What it logs on the machine. */
export function runOnMachine(body: string): string[] {
  const source = `import { workflow } from "cairnjs";\nexport default workflow("test.v1", async () => { ${SHOW}\n${body}\nreturn lines; });`;
  const { workflows, diagnostics } = compile("body.ts", { resolve: () => null, read: () => source });
  const [compiled] = workflows;
  if (compiled === undefined) throw new Error(diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  const machine = newMachine(loadProgram(JSON.parse(JSON.stringify(compiled.program))));
  const info = {
    id: "1",
    type: "test.v1",
    version: "1",
    namespace: "n",
    attempt: 1,
    startedAt: 0,
    parent: null,
    tags: [],
  };
  const delivery = deliver(machine, { kind: "start", at: 0, value: "null", seed: "seed", info });
  if (!delivery.done) throw new Error("more work is left");
  const end = delivery.effects.find((effect): effect is Extract<Effect, { kind: "end" }> => effect.kind === "end");
  if (end?.status !== "succeeded") throw new Error(`the body did not end well: ${JSON.stringify(delivery.effects)}`);
  return JSON.parse(end.value) as string[];
}
