import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** What a server says about itself in `postmaster.pid`; it stays when the server is killed. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
  readonly text: string;
}

/** A standby, which somebody may have made of a copy, takes connections too. */
const READY = ["ready", "standby"];

export function postmasterFilePath(data: string): string {
  return join(data, "postmaster.pid");
}

/** `undefined` too while the file is being written. */
export function readPostmasterFile(data: string): PostmasterFile | undefined {
  let text: string;
  try {
    text = readFileSync(postmasterFilePath(data), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  // 0 until the server has begun to listen: nothing answers there either way.
  const port = Number(lines[3] ?? 0);
  return pid > 0 ? { pid, port, ready: READY.includes(lines[7]?.trim() ?? ""), text } : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Whether the process may be a server of this folder that does not answer yet, or no longer. Numbers of processes are used again, after a restart of a container
 * even for the same few, so a process that is alive proves nothing. Where its command cannot be seen, it may be.
 */
export function mayServe(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false;
  const command = commandOf(pid);
  return (
    command === undefined || (basename(command.split(/[\0 ]/)[0]!).startsWith("postgres") && command.includes(data))
  );
}

function commandOf(pid: number): string | undefined {
  if (process.platform === "win32") return undefined;
  if (process.platform === "linux") {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return undefined;
    }
  }
  const { status, stdout } = spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}
