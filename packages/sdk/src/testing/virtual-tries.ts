import { setTimeout, clearTimeout } from "node:timers";
import { DEFAULT_RETRY, rawBackoffMs, type RetryPolicy } from "@cairnjs/ir";
import { isRetryable, mergeOptions, type Outcome, perform } from "../attempts.ts";
import { decodeCopy, encodeThrown } from "../copy.ts";
import { ActionTimeout } from "../errors.ts";
import type { Invocable } from "../invoke.ts";
import { type ActionOptions, durationMs, type RetryOptions } from "../options.ts";
import { IN_MEMORY } from "../sealing.ts";
import type { GivenSecrets } from "../secret.ts";
import type { Cast, Player } from "./cast.ts";
import type { Chance } from "./chance.ts";
import type { Failures } from "./failures.ts";
import type { CallStep, Later } from "./local-run.ts";
import type { MetErrors } from "./met-errors.ts";
import type { AnyMock } from "./mock.ts";
import type { RunObserver } from "./report.ts";
import { Stuck } from "./stuck.ts";
import { calledOptions, type Tries } from "./tries.ts";

export interface VirtualTriesOptions {
  readonly cast: Cast;
  readonly failures: Failures;
  readonly retry: RetryOptions;
  /** How long an action may take in real time. */
  readonly patienceMs: number;
  /** Draws the random part of backoffs; without it there is none, so that times are round. */
  readonly chance: Chance | null;
  readonly errors: MetErrors;
  readonly observer: RunObserver;
  readonly secrets: GivenSecrets;
}

/** Tries as the engine makes them, with backoffs and timeouts in virtual time. An action itself takes none of it. */
export class VirtualTries implements Tries {
  readonly #options: VirtualTriesOptions;
  /** How often each mock was tried in this run. */
  readonly #tries = new Map<AnyMock, number>();

  constructor(options: VirtualTriesOptions) {
    this.#options = options;
  }

  async make(step: CallStep, now: number): Promise<Outcome | Later> {
    const player = this.#player(step);
    const timeoutMs = durationMs(optionsOf(step, player).timeout ?? Number.POSITIVE_INFINITY);
    step.record.attempts.push({ at: now, chunks: [] });
    const outcome = await this.#once(step, player, timeoutMs);
    const takesMs = outcome === null ? Number.POSITIVE_INFINITY : (player.mock?.takesMs ?? 0);
    if (takesMs > timeoutMs) return { at: now + timeoutMs, outcome: timedOut(step, timeoutMs) };
    if (takesMs > 0) return { at: now + takesMs, outcome };
    return outcome === null ? { at: Number.POSITIVE_INFINITY, outcome } : this.settle(step, outcome, now);
  }

  settle(step: CallStep, outcome: Outcome, now: number): Outcome | Later {
    const { record, run } = step;
    const { errors, observer } = this.#options;
    errors.meet(outcome.copy);
    if (outcome.kind === "result") return outcome;
    const attempt = record.attempts.at(-1);
    if (attempt !== undefined) attempt.error = outcome.copy.text;
    const options = optionsOf(step, this.#player(step));
    const retry = { ...DEFAULT_RETRY, ...this.#options.retry, ...options.retry };
    if (record.attempts.length >= retry.attempts || !isRetryable(decodeCopy(outcome.copy), outcome.copy, options))
      return outcome;
    const at = now + this.#backoffMs(retry, record.attempts.length);
    observer.tryFailed?.(record.step, run.depth, outcome.copy.text, at - now);
    return { at, outcome: null };
  }

  /** A child that a mock plays is no action: it is not tried again. */
  #player({ effect, run }: CallStep): Player {
    return this.#options.cast.player(effect.action, run.program.name);
  }

  #backoffMs(policy: RetryPolicy, tries: number): number {
    const raw = rawBackoffMs(policy, tries);
    return raw + (this.#options.chance?.below(Math.floor(raw / 2) + 1) ?? 0);
  }

  /** One try; null: it never ends. */
  async #once(step: CallStep, player: Player, timeoutMs: number): Promise<Outcome | null> {
    const { failures, errors } = this.#options;
    const failure = failures.of(step);
    if (failure !== null) return { kind: "error", copy: encodeThrown(failure.error) };
    if (Number.isNaN(timeoutMs)) {
      return {
        kind: "error",
        copy: encodeThrown(new RangeError(`The timeout of ${step.effect.action} is no duration`)),
      };
    }
    const args = { text: step.effect.args, classes: errors.classes };
    const { mock } = player;
    const reply = mock === null ? ({ kind: "real" } as const) : mock.reply(this.#countTry(mock));
    if (reply.kind === "never") {
      mock?.record(decodeCopy(args, IN_MEMORY) as unknown[]);
      return null;
    }
    const task = reply.kind === "play" && mock !== null ? played(mock, reply.play) : onlyOnce(step, player);
    const { attempts } = step.record;
    const { chunks } = attempts.at(-1)!;
    const work = perform(task, args, attempts.length, (chunk) => void chunks.push(chunk), this.#options.secrets);
    return this.#patiently(work, step.effect.action, timeoutMs);
  }

  #countTry(mock: AnyMock): number {
    const tries = (this.#tries.get(mock) ?? 0) + 1;
    this.#tries.set(mock, tries);
    return tries;
  }

  /** What does not settle in real time is taken to hang if the action has a timeout, and is an error if not. */
  async #patiently(work: Promise<Outcome>, action: string, timeoutMs: number): Promise<Outcome | null> {
    const { patienceMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<null>((resolve, reject) => {
      const giveUp = (): void =>
        timeoutMs === Number.POSITIVE_INFINITY ? reject(tooSlow(action, patienceMs)) : resolve(null);
      timer = setTimeout(giveUp, Math.min(patienceMs, timeoutMs));
    });
    try {
      return await Promise.race([work, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function optionsOf({ effect }: CallStep, { real }: Player): ActionOptions {
  return mergeOptions(real?.options ?? {}, calledOptions(effect));
}

function played(mock: AnyMock, play: (...args: never[]) => unknown): Invocable {
  const handler = async (...args: never[]): Promise<unknown> => {
    mock.record(args);
    return play(...args);
  };
  return { name: mock.name, handler, options: {} };
}

/** The action itself; tries and timeout are counted here. */
function onlyOnce({ effect }: CallStep, { real }: Player): Invocable {
  if (real === null) {
    throw new TypeError(
      `The mock of "${effect.action}" has run out, and no module that was loaded declares the action.`,
    );
  }
  const { retry: _retry, timeout: _timeout, ...options } = real.options;
  return { ...real, options };
}

function timedOut({ effect }: CallStep, timeoutMs: number): Outcome {
  return { kind: "error", copy: encodeThrown(new ActionTimeout(`${effect.action} took longer than ${timeoutMs} ms`)) };
}

function tooSlow(action: string, patienceMs: number): Stuck {
  return new Stuck(
    `The action "${action}" has not settled for ${patienceMs} ms of real time. ` +
      "Mock it, with mock.never() if it shall hang, or give testRun() more `patience`.",
  );
}
