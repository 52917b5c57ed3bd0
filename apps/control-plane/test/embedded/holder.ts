import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));

/** Node cannot load TypeScript everywhere, so processes of their own run what is built. */
export function build(): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-b", join(here, "../..")], { encoding: "utf8" });
  if (status !== 0) throw new Error(stdout);
}

/** What a holder says first. */
interface Answer {
  readonly url: string;
  readonly pid: number;
  readonly adopted: boolean;
  readonly error?: { name: string; code: string; message: string; pid?: number };
}

export interface Holder {
  readonly pid: number;
  readonly answer: Answer;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface HolderOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd?: string;
}

/** A Cairn process of its own that works in the folder, or has failed to. */
export async function startHolder(folder: string, options: HolderOptions = {}): Promise<Holder> {
  const child = spawn(process.execPath, [join(here, "holder.mjs"), folder], {
    ...options,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, "line")) as [string];
  return {
    pid: child.pid!,
    answer: JSON.parse(line) as Answer,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    stop: async () => {
      child.stdin.write("stop\n");
      await ended;
    },
  };
}
