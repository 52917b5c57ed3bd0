import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { until } from "./until.ts";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));
const command = fileURLToPath(new URL("../../bin/cairn-worker.js", import.meta.url));

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** All that it has written. */
  readonly output: () => string;
  /** Its exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals | null>;
  readonly says: (text: string) => Promise<unknown>;
}

/** The command, as it was built, in a process of its own. */
export function workerProcess(
  env: Readonly<Record<string, string>>,
  { folder = "", nodeArgs = [] as readonly string[] } = {},
): WorkerProcess {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [...nodeArgs, command], {
    cwd: `${fixtures}${folder}`,
    env: { PATH, CAIRN_LOG_FORMAT: "text", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, output: () => output, exit, says: (text) => until(() => output.includes(text), text) };
}
