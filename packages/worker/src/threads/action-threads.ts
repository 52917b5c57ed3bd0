import { MessageChannel } from "node:worker_threads";
import { type AttemptOutcome, encodeThrown } from "cairnjs/host";
import { Piscina } from "piscina";
import type { IsolatedRun, IsolatedRuns, RunningCall } from "../host/action-runner.ts";
import type { Logger } from "../host/log.ts";
import type { FromThread, ThreadTask, ToldLog, ToThread } from "./thread-task.ts";
import { heard } from "./told.ts";

/** For a handler that was aborted to come to an end by itself, before its thread is ended. */
const ABORT_MS_MAX = 1_000;
/** A thread without work is kept for so long: it has loaded all modules. */
const IDLE_MS_MAX = 60_000;

/**
 * Threads for actions that compute for long.
 *
 * Owns: a pool, started with the first call that needs it, and who waits for a thread of it. That is not left to the pool's own
 * queue: a task that waits there is forgotten when the thread before it is ended (piscina 5.3 without spare threads).
 */
export class ActionThreads implements IsolatedRuns {
  readonly #threadsMax: number;
  readonly #modules: readonly string[];
  readonly #logger: Logger | null;
  readonly #codec: string | null;
  #pool: Piscina<ThreadTask, AttemptOutcome> | null = null;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  /** `logger`: where handlers log; null: on the consoles of their threads. `codec`: the module of the one for sealed values. */
  constructor(threadsMax: number, modules: readonly string[], logger: Logger | null, codec: string | null) {
    this.#codec = codec;
    this.#logger = logger;
    this.#threadsMax = threadsMax;
    this.#modules = modules;
  }

  async begin(call: RunningCall): Promise<IsolatedRun> {
    if (this.#taken >= this.#threadsMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#taken += 1;
    let isBegun = (): void => {};
    const begun = new Promise<void>((resolve) => {
      isBegun = resolve;
    });
    const outcome = this.#run(call, isBegun).finally(() => this.#release());
    // It may fail before anyone looks, and whoever looks will see it.
    await Promise.race([begun, outcome.catch(() => {})]);
    return { outcome };
  }

  /** A thread is free when what ran in it has ended or was ended, which may be later than its time was over. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }

  async #run(call: RunningCall, begun: () => void): Promise<AttemptOutcome> {
    if (call.isAborted) throw new Error("Nobody waits for this call any more");
    this.#pool ??= newPool(this.#threadsMax);
    const { port1, port2 } = new MessageChannel();
    const terminator = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const { signal } = call.abortion;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, no window
    const say = (what: ToThread): void => port1.postMessage(what);
    const abort = (): void => {
      say({ kind: "abort", reason: encodeThrown(signal.reason).text });
      // A handler that computes hears of nothing.
      timer = setTimeout(() => terminator.abort(), ABORT_MS_MAX);
    };
    port1.on("message", (said: FromThread) => {
      if (said.kind === "begun") return begun();
      if (said.kind === "details") return call.tell(said.details);
      if (said.kind === "log") return this.#log(said);
      const { number } = said.chunk;
      // Refused only if the call is aborted, of which the thread hears otherwise.
      call.stream(said.chunk).then(
        () => say({ kind: "taken", number }),
        () => {},
      );
    });
    signal.addEventListener("abort", abort, { once: true });
    const { dispatch, notes } = call;
    try {
      const task: ThreadTask = {
        modules: this.#modules,
        dispatch,
        notes,
        secrets: call.takeSecrets(),
        codec: this.#codec,
        port: port2,
        logs: this.#logger !== null,
      };
      return await this.#pool.run(task, { transferList: [port2], signal: terminator.signal });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      port1.close();
    }
  }

  #log({ level, facts, message }: ToldLog): void {
    const known = Object.fromEntries(facts.map(([name, fact]) => [name, heard(fact)]));
    this.#logger?.[level](known, String(heard(message)));
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = null;
  }
}

function newPool(maxThreads: number): Piscina<ThreadTask, AttemptOutcome> {
  // Node.js cannot load TypeScript in threads: from sources, as in our own tests, the build is used.
  const folder = import.meta.url.endsWith(".ts") ? "../../dist/threads/" : "./";
  return new Piscina<ThreadTask, AttemptOutcome>({
    filename: new URL(`${folder}action-thread.js`, import.meta.url).href,
    minThreads: 0,
    maxThreads,
    concurrentTasksPerWorker: 1,
    idleTimeout: IDLE_MS_MAX,
    // Flags of the process are for the process: the thread registers its hooks itself.
    execArgv: [],
  });
}
