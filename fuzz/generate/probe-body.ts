import type { Probe } from "./probe.ts";

/** A whole module that carries out the probes one after the other. */
export function probeBody(probes: readonly Probe[]): string {
  return `${HEAD}
export default workflow("main", async () => {
${probes.map(({ statement }) => `  ${statement}`).join("\n")}
});
`;
}

const HEAD = `import { action, workflow, signal, emit, progress, runInfo, mapLimit, ActionTimeout, ActionCancelled, RunCancelled, SignalTimeout, NoHandlerRegistered, NotStorable, StepChanged, InvalidInput, InvalidOutput } from "cairnjs";
const echo = action("echo", async (value: unknown) => value);
const refuse = action("refuse", async (what: string) => { throw what === "input" ? new InvalidInput(what, []) : new InvalidOutput(what, []); });
const child = workflow("child", async (input: unknown) => ["child", input]);
const approved = signal<string>("approved");
export const signals = { approved: ["yes", { by: "x" }], answers: [1, 2] };
function plain(value: any): unknown {
  if (typeof value === "function") return ["function", value.name, value.length];
  if (value instanceof RegExp) return ["regexp", value.source, value.flags, value.lastIndex];
  if (value instanceof TextEncoder || value instanceof TextDecoder) return ["coder", value.encoding];
  if (value instanceof Promise) return "promise";
  if (typeof value === "object" && value !== null && typeof value.next === "function") return ["iterator", [...value].map(plain)];
  if (Array.isArray(value) && value.some((item) => typeof item === "object" || typeof item === "function")) return value.map(plain);
  return value;
}
function caught(run: () => unknown): any {
  try { run(); } catch (error) { return error; }
  return null;
}
function probe(path: string, run: () => unknown): void {
  try {
    const value = run();
    console.log("probe", path, "gives", plain(value));
  } catch (error) {
    console.log("probe", path, "throws", error);
  }
}
async function probeAsync(path: string, run: () => Promise<unknown>): Promise<void> {
  try {
    console.log("probe", path, "gives", plain(await run()));
  } catch (error) {
    console.log("probe", path, "throws", error);
  }
}`;
