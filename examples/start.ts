// The engine in one process: starts a trip, or goes on with the one that was under way, and shows its steps.
import {
  createCairn,
  DatabaseUnusable,
  EmbeddedPostgresFailed,
  FolderInUse,
  type RunStep,
} from "@cairnjs/control-plane";
import bookTrip, { input } from "./trip.ts";

const LOOK_EVERY_MS = 100;

async function main(): Promise<void> {
  const cairn = await createCairn({ onLog: (line) => console.log(line) });
  const [unfinished] = await cairn.runs({ type: "trip.book.v1", status: ["pending", "leased"], limit: 1 });
  const run = unfinished === undefined ? await cairn.start(bookTrip, input) : cairn.run(unfinished.id);
  console.log(
    unfinished === undefined
      ? `\nThe run ${run.id} is started. While it runs, kill this process (kill -9 ${process.pid}) and start it again.\n`
      : `\nThe run ${run.id} was under way since ${unfinished.createdAt.toLocaleTimeString()}: it goes on.\n`,
  );
  const result = run.result();
  const shown = new Set<string>();
  while (!(await settled(result, LOOK_EVERY_MS))) show(await run.steps(), shown);
  show(await run.steps(), shown);
  console.log("\nResult:", await result);
  console.log("\nTry next:");
  console.log("  npm start                          again, and kill -9 it in between: no step is done twice or lost");
  console.log("  DATABASE_URL=postgres://… npm start   with a Postgres of yours");
  console.log("  npx cairn try examples/checkout.ts    a workflow in memory, step by step");
  await cairn.close();
}

/** Whether it is over, or will not be within this time. */
function settled(promise: Promise<unknown>, withinMs: number): Promise<boolean> {
  const over = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([over, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), withinMs))]);
}

function show(steps: readonly RunStep[], shown: Set<string>): void {
  for (const step of steps) {
    for (const { attempt, outcome, error } of step.attempts) {
      if (outcome === "succeeded") continue;
      say(
        shown,
        `${step.call}/${attempt}`,
        `  ↻ ${step.name}  try ${attempt}: ${outcome === "lost" ? "lost" : text(error)}`,
      );
    }
    if (step.status === "open") {
      if (step.kind === "sleep") say(shown, `${step.call}/sleep`, `  … sleeps until ${text(step.args)}`);
      continue;
    }
    const mark = step.status === "succeeded" ? "✓" : "✗";
    say(shown, step.call, `  ${mark} ${step.name}  ${text(step.status === "succeeded" ? step.result : step.error)}`);
  }
}

function say(shown: Set<string>, key: string, line: string): void {
  if (shown.has(key)) return;
  shown.add(key);
  console.log(line);
}

function text(value: unknown): string {
  if (value === undefined) return "";
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return value.toLocaleTimeString();
  return JSON.stringify(value);
}

try {
  await main();
} catch (error) {
  const isExpected =
    error instanceof DatabaseUnusable || error instanceof EmbeddedPostgresFailed || error instanceof FolderInUse;
  console.error(isExpected ? error.message : error);
  process.exitCode = 1;
}
