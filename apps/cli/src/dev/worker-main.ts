// A worker of `cairn dev`, in a process of its own.
import { Worker } from "node:worker_threads";
import { readLogSettings, runWorker, textLogger } from "@cairnjs/worker";
import { declaredWorkflow, startSchemaOf } from "cairnjs/host";
import { sampleInput } from "../commands/sample-input.ts";
import type { FromWorker } from "./messages.ts";

/** Of a pipe that nobody writes to: it ends with the process at its other end, however that ends. */
const PARENT_FD = 4;

// In a thread: user code that never returns does not keep it from noticing.
const thread = new Worker(
  `const { Socket } = require("node:net");
  const parent = new Socket({ fd: ${PARENT_FD} });
  parent.on("error", () => {});
  parent.on("close", () => process.kill(process.pid, "SIGKILL"));
  parent.resume();`,
  { eval: true },
);
thread.unref();

function say(message: FromWorker): void {
  // Whoever is gone hears nothing.
  if (process.connected) process.send!(message, undefined, undefined, () => {});
}

/** An input for it that is about right; null if it needs none. */
function sampleOf(name: string | undefined): string | null {
  const definition = name === undefined ? undefined : declaredWorkflow(name);
  if (definition?.compiled === undefined) return null;
  const schema = startSchemaOf(definition, definition.compiled);
  return schema === null ? null : sampleInput(schema);
}

const code = await runWorker(
  process.env,
  process.cwd(),
  { say: (line) => say({ kind: "log", line }), logger: textLogger(readLogSettings(process.env)) },
  ({ namespace, workflows = [] }) =>
    say({ kind: "connected", namespace, workflows, sample: sampleOf(workflows[0]?.name) }),
);
// What was said last is on its way.
if (process.connected) process.disconnect();
process.exit(code);
