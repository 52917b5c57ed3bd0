import { NoHandlerRegistered, type PayloadCodec } from "cairnjs";
import { ActionHost, callKey, type ChunkStream, type Logger, taskOf } from "@cairnjs/worker/host";
import { ChunkWriter, type ChunkWriterOptions } from "../chunks/chunk-writer.ts";
import { type CallRunner, givenBack, type RunnerEvents } from "../hub/call-runner.ts";
import type { CallTimes } from "../hub/call-times.ts";
import { canRun, segmentOf, type ServedNames } from "../hub/names.ts";
import type { Dispatch } from "../runloop/outside.ts";

/** Longer than a run lingers in memory: it parks, and whoever has the action may claim it. */
const AGAIN_IN_MS = 1_500;
/** Until a job that was given back has been claimed by another process. */
const LEFT_FOR_MS = 3_000;

export interface LocalRunnerOptions {
  readonly capacity: number;
  /** Who runs calls, for people. */
  readonly worker: string;
  /** What other processes run at the moment. */
  readonly elsewhere: () => Promise<readonly ServedNames[]>;
  /** Jobs of this segment are left to others for a while. */
  readonly leave: (segment: string, forMs: number) => void;
  /** Where what calls stream is written down. */
  readonly chunks: ChunkWriterOptions;
  readonly times: CallTimes;
  /** Where handlers log; null: on the console. */
  readonly logger: Logger | null;
  /** Secrets of a namespace, by name. */
  readonly secrets: (namespace: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** For sealed values. */
  readonly codec: PayloadCodec | null;
  /** Who knows what runs and waits from now on. */
  readonly opened: (load: LocalLoad) => void;
}

export interface LocalLoad {
  readonly running: number;
  /** With those that wait. */
  readonly load: number;
}

/**
 * The actions of this process. As many calls again as may run are taken ahead, so that nobody waits for the next one.
 *
 * A call whose action is not here fails only if no other process has it either: in a rolling deploy old processes meet calls of
 * new actions. Where another one has it, the run is let go, and comes to that one sooner or later.
 */
export function localRunner<Owner>(options: LocalRunnerOptions, events: RunnerEvents<Owner>): CallRunner<Owner> {
  const { capacity, worker, elsewhere, leave } = options;
  const writer = new ChunkWriter(options.chunks);
  /** The writer has those up to here. */
  const handedOver = new WeakMap<ChunkStream, number>();
  const write = (call: Dispatch, chunks: ChunkStream): void => {
    const { incarnation, namespace, runId, call: id, attempt } = call;
    for (const { number, text } of chunks.after(handedOver.get(chunks) ?? 0)) {
      handedOver.set(chunks, number);
      const chunk = { incarnation, namespace, runId, call: id, attempt, number, value: text };
      // Of a run that has ended nobody wants to see more.
      writer.add(chunk, () => chunks.acknowledge(number));
    }
  };
  const host = new ActionHost<Owner>({
    capacity,
    worker,
    logger: options.logger,
    secrets: options.secrets,
    codec: options.codec,
    report: (owner, outcomes) => events.report(owner, outcomes),
    loaded: () => events.roomChanged(),
    took: (durationMs) => options.times.add(durationMs, performance.now()),
    streamed: write,
    flushed: () => writer.flush(),
  });
  options.opened(host);
  /** Calls whose actions are not here, while it is asked who has them. */
  const asking = new Set<string>();
  const ask = async (owner: Owner, calls: readonly Dispatch[]): Promise<void> => {
    for (const call of calls) asking.add(callKey(call));
    // Without an answer nobody can say that there is none.
    const others = await elsewhere().catch(() => null);
    const wanted = calls.filter((call) => asking.delete(callKey(call)));
    const isElsewhere = ({ action, type }: Dispatch): boolean =>
      others === null || others.some((other) => canRun(other, action, type));
    const theirs = wanted.filter(isElsewhere);
    for (const { action, type } of theirs) if (action === type) leave(segmentOf(type), LEFT_FOR_MS);
    const waiting = theirs.map(({ runId, call, attempt, action }) => ({
      runId,
      call,
      attempt,
      waitingFor: `a process that has ${action}`,
      againInMs: AGAIN_IN_MS,
    }));
    if (waiting.length > 0) events.unserved(owner, waiting);
    const nobodys = wanted.filter((call) => !theirs.includes(call));
    if (nobodys.length > 0) host.dispatch(owner, nobodys);
  };
  return {
    get room() {
      return Math.max(0, 2 * capacity - host.load);
    },
    dispatch: (owner, calls) => {
      const lacking = calls.filter(isLacking);
      if (lacking.length === 0) return host.dispatch(owner, calls);
      if (lacking.length < calls.length)
        host.dispatch(
          owner,
          calls.filter((call) => !lacking.includes(call)),
        );
      void ask(owner, lacking);
    },
    adopt: (owner, calls) => host.adopt(owner, calls),
    abort: (calls) => {
      for (const call of calls) asking.delete(callKey(call));
      host.abort(calls);
    },
    recall: (owner, calls) => {
      const back = host.recall(calls);
      if (back.length > 0) events.unserved(owner, back.map(givenBack));
    },
    acknowledge: (calls) => host.acknowledge(calls),
    reportAgain: (owner) => host.reportAgain(owner),
    idle: async () => {
      await host.idle();
      writer.close();
    },
  };
}

function isLacking(call: Dispatch): boolean {
  return taskOf(call) instanceof NoHandlerRegistered;
}
