import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ControlPlane } from "@cairnjs/control-plane";
import { quoted } from "../missing-input.ts";
import type { Log } from "../output/log.ts";
import type { Environment } from "../settings/known-settings.ts";
import type { FromWorker } from "./messages.ts";

const MAIN = fileURLToPath(new URL("./worker-main.js", import.meta.url));

/** A worker that goes down is started again; one that goes down soon after that, later. */
const RESTART_MIN_MS = 100;
const RESTART_MAX_MS = 5_000;
/** One that has lived so long is no longer the same trouble. */
const LIVED_MS = 10_000;
/** What calls have to end when everything ends: they are made again the next time. */
const END_MS_MAX = 1_000;

export interface DevWorkersOptions {
  readonly plane: ControlPlane;
  readonly env: Environment;
  readonly isJson: boolean;
  readonly log: Log;
}

/**
 * Owns: the worker's process, those from before whose calls have not ended, and which versions are current.
 *
 * Invariants:
 *   D1  The worker from before takes calls until the one that follows it is connected.
 *   D2  After `close`, or after this process has ended in whatever way, none of them is left.
 */
export class DevWorkers {
  readonly #options: DevWorkersOptions;
  readonly #all = new Set<ChildProcess>();
  /** The one that takes calls. */
  #current: ChildProcess | null = null;
  /** The one that is to take its place. */
  #next: ChildProcess | null = null;
  #promoting: Promise<void> = Promise.resolve();
  #restartMs = RESTART_MIN_MS;
  #restart: NodeJS.Timeout | null = null;
  #wasTold = false;
  #closed = false;

  constructor(options: DevWorkersOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#current !== null;
  }

  /** Starts one with the code as it is now; resolves when it has taken the place of the one before, or will not. */
  async replace(): Promise<void> {
    if (this.#restart !== null) clearTimeout(this.#restart);
    this.#restart = null;
    if (this.#closed) return;
    // One that is still loading has code from before, and may never come to an end of it.
    this.#next?.kill("SIGKILL");
    const child = this.#spawn();
    this.#next = child;
    const begun = performance.now();
    const connected = await new Promise<Extract<FromWorker, { kind: "connected" }> | null>((resolve) => {
      child.on("message", (message: FromWorker) => {
        if (message.kind === "connected") resolve(message);
        else this.#say(child, message.line);
      });
      child.on("exit", () => resolve(null));
    });
    if (this.#next !== child || this.#closed) return;
    this.#next = null;
    if (connected === null) return this.#failed();
    const former = this.#current;
    this.#current = child;
    child.on("exit", (code, signal) => this.#gone(child, code ?? signal, performance.now() - begun));
    // It may have ended before anyone listened.
    if (child.exitCode !== null || child.signalCode !== null) this.#gone(child, child.exitCode ?? child.signalCode, 0);
    // One after the other: what was connected last is what is current.
    this.#promoting = this.#promoting.then(() => this.#promote(connected));
    await this.#promoting;
    former?.kill("SIGTERM");
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const gone = [...this.#all].map((child) => new Promise((resolve) => child.once("exit", resolve)));
    for (const child of this.#all) child.kill("SIGTERM");
    const limit = setTimeout(() => {
      for (const child of this.#all) child.kill("SIGKILL");
    }, END_MS_MAX);
    await Promise.all(gone);
    clearTimeout(limit);
  }

  #spawn(): ChildProcess {
    const { env, isJson } = this.#options;
    // What users' code prints is no part of the output, if that is data.
    const stdio = ["ignore", isJson ? 2 : "inherit", "inherit", "ipc", "pipe"] as const;
    const child = spawn(process.execPath, [...process.execArgv, MAIN], {
      env: { ...env },
      stdio: [...stdio],
      // In a group of its own, so that Ctrl-C is for us alone: it is told how to end.
      detached: true,
    });
    this.#all.add(child);
    child.on("exit", () => this.#all.delete(child));
    // It ends with the process that reads from it.
    child.stdio[4]?.on("error", () => {});
    return child;
  }

  /** Most of what a worker says is for those who run it apart. */
  #say(child: ChildProcess, line: string): void {
    const isBeginning = child !== this.#current;
    if (isBeginning && !this.#closed && !/has loaded|^Connected|^SIG/.test(line)) this.#options.log.warn(line);
  }

  #failed(): void {
    const rest = this.#current === null ? "" : ": the one from before goes on";
    this.#options.log.warn(`The worker could not begin${rest}`);
  }

  #gone(child: ChildProcess, why: number | string | null, livedMs: number): void {
    if (child !== this.#current || this.#closed) return;
    this.#current = null;
    const { log } = this.#options;
    const how = typeof why === "number" ? `exit code ${why}` : why;
    log.warn(`The worker ended (${how}), and is started again`);
    if (livedMs > LIVED_MS) this.#restartMs = RESTART_MIN_MS;
    // One with newer code may be about to take its place.
    if (this.#next !== null) return;
    this.#restart = setTimeout(() => void this.replace(), this.#restartMs);
    this.#restartMs = Math.min(2 * this.#restartMs, RESTART_MAX_MS);
  }

  /** Runs that are started from now on have the code as it is now, also if it is as it was some time ago. */
  async #promote({ namespace, workflows, sample }: Extract<FromWorker, { kind: "connected" }>): Promise<void> {
    const { plane, log } = this.#options;
    try {
      for (const { name, version } of workflows) await plane.promote(namespace, name, version);
    } catch (error) {
      log.warn("Versions of workflows could not be made current", error);
    }
    const names = workflows.map(({ name }) => name).join(", ");
    log.info(`The worker is ready${names === "" ? "" : `: ${names}`}`, { workflows });
    const [first] = workflows;
    if (this.#wasTold || first === undefined) return;
    this.#wasTold = true;
    const url = plane.port === 50_051 ? "" : ` --url 127.0.0.1:${plane.port}`;
    // One that takes nothing is given nothing.
    const input = sample === null || sample === "null" ? "" : ` --input ${quoted(sample)}`;
    log.info(`Try next: npx cairn run ${first.name}${url}${input} --wait`);
  }
}
