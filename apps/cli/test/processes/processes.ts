import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { main } from "../command.ts";
import { temporaryProject } from "../temporary-project.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Long enough for a machine that has much else to do. */
const PATIENCE_MS = 100_000;
vi.setConfig({ testTimeout: 180_000 });

export interface Command {
  readonly child: ChildProcess;
  /** Both outputs, in the order they came. */
  readonly text: () => string;
  readonly stdout: () => string;
  /** Resolves when the output has this, behind what was there before if `after` says so. */
  says(what: string | RegExp, after?: number): Promise<string>;
  readonly ended: Promise<number | string>;
}

/** What the process of the tests has of Cairn's settings is none of theirs. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CAIRN_|DATABASE_URL|FORCE_COLOR|NODE_OPTIONS)/.test(name)),
  );
}

/** `cairn` as a process that stays; killed after the test. `input` is its standard input. */
export function cairnProcess(
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input: string | null = null,
): Command {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    env: { ...cleanEnvironment(), CAIRN_LOG_FORMAT: "text", ...env },
    stdio: [input === null ? "ignore" : "pipe", "pipe", "pipe"],
  });
  if (input !== null) child.stdin!.end(input);
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  let stdout = "";
  const listeners = new Set<() => void>();
  const hear = (isOut: boolean) => (bytes: Buffer) => {
    text += bytes.toString();
    if (isOut) stdout += bytes.toString();
    for (const listener of listeners) listener();
  };
  child.stdout!.on("data", hear(true));
  child.stderr!.on("data", hear(false));
  const ended = new Promise<number | string>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal ?? "?"));
  });
  const says = (what: string | RegExp, after = 0): Promise<string> =>
    new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`it does not say ${String(what)}:\n${text}`)), PATIENCE_MS);
      const look = (): void => {
        const said = text.slice(after);
        const match = typeof what === "string" ? (said.includes(what) ? what : undefined) : what.exec(said)?.[0];
        if (match === undefined) return;
        clearTimeout(limit);
        listeners.delete(look);
        resolve(match);
      };
      listeners.add(look);
      child.once("close", () => {
        look();
        clearTimeout(limit);
        reject(new Error(`it ended and did not say ${String(what)}:\n${text}`));
      });
      look();
    });
  return { child, text: () => text, stdout: () => stdout, says, ended };
}

/** `cairn` until it has ended. */
export async function cairnOnce(
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input: string | null = null,
): Promise<{ readonly code: number | string; readonly stdout: string; readonly text: string }> {
  const command = cairnProcess(folder, args, env, input);
  const code = await command.ended;
  return { code, stdout: command.stdout(), text: command.text() };
}

/** A project that has our packages, as an installed one does. */
export function installedProject(files: Readonly<Record<string, string>>): string {
  const folder = temporaryProject(files);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

export function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Ports that were free a moment ago. */
export async function freePorts(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<string>((resolve) =>
          server.listen(0, "127.0.0.1", () => resolve(String((server.address() as AddressInfo).port))),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
