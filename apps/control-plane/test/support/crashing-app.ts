import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { afterEach } from "vitest";
import { temporaryFolder } from "./test-run.ts";

const hook = pathToFileURL(
  createRequire(import.meta.url).resolve("../../../../packages/sdk/dist/register/index.js"),
).href;
const app = new URL("../crash/app.ts", import.meta.url).pathname;
const processes = new Set<ChildProcess>();

afterEach(() => {
  for (const child of processes) child.kill("SIGKILL");
});

/** Where tries of the app's actions leave their files. */
export function effectsFolder(): string {
  const folder = temporaryFolder("effects");
  chmodSync(folder, 0o777);
  return folder;
}

/** `crash/app.ts` in a process of its own, once it is ready. */
export async function startApp(
  url: string,
  effects: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--import", hook, app], {
    env: { ...process.env, DATABASE_URL: url, EFFECTS: effects, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  processes.add(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on("data", () => resolve());
    child.on("exit", (code) => reject(new Error(`the process ended with ${code}`)));
  });
  return child;
}

export async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  child.kill("SIGKILL");
  await gone;
  processes.delete(child);
}

/** What a run of so many steps must return, whatever was killed. */
export function expectedResult(n: number, steps: number): number {
  let sum = 0;
  for (let i = 0; i < steps; i++) {
    sum += i + 1 + (n + 1);
    if (i % 10 === 6) sum += i * 2;
    if (i % 10 === 9) sum += (i + n) % 2 === 1 ? 1000 : i + n + 1;
  }
  return sum;
}
