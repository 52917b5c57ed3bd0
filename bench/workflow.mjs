// What the benches share: a workflow from source, ready to run, and a way to run it.
import { compile } from "@cairnjs/compiler";
import { deliver, loadProgram, newMachine } from "@cairnjs/vm";

export function imageOf(source) {
  const text = `import { action, workflow } from "cairnjs";\n${source}`;
  const { workflows, diagnostics } = compile("/bench.ts", { resolve: () => null, read: () => text });
  if (workflows.length === 0) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return loadProgram(workflows[0].program);
}

const info = {
  id: "bench",
  type: "bench",
  version: "1",
  namespace: "default",
  attempt: 1,
  startedAt: 0,
  parent: null,
  tags: [],
};

export function start(image, value = "null", limits) {
  const machine = newMachine(image, limits);
  const { effects } = deliver(machine, { kind: "start", at: 0, value, seed: "bench", info });
  return { machine, effects };
}

export function resultOf(effects) {
  const end = effects.find(({ kind }) => kind === "end");
  if (end?.status !== "succeeded") throw new Error(`the workflow did not succeed: ${end?.value ?? "it waits"}`);
  return JSON.parse(end.value);
}

/** Median milliseconds of several rounds, after some to warm up. */
export function median(work, rounds = 7, warmUp = 3) {
  for (let round = 0; round < warmUp; round++) work();
  const times = Array.from({ length: rounds }, () => {
    const before = performance.now();
    work();
    return performance.now() - before;
  });
  return times.sort((a, b) => a - b)[rounds >> 1];
}
