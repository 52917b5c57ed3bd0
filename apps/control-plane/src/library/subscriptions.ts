import { NewSubscription } from "@cairnjs/schemas";
import { newRunId } from "../ids.ts";
import { type Allowed, checkTarget } from "../outbox/allowed.ts";
import { HELD_BACK, type EventSink } from "../outbox/event-sink.ts";
import type { SecretReader } from "../outbox/secrets.ts";
import { Subscriber } from "../outbox/subscriber.ts";
import type { Queryable } from "../store/statement.ts";
import {
  allSubscriptions,
  deleteSubscription,
  listSubscriptions,
  pauseSubscription,
  resumeSubscription,
  type SubscriptionStatus,
  upsertSubscription,
} from "../store/subscriptions.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { parseNoun } from "./parse-noun.ts";

const UPSERTS_MAX = 5;
const MAX_ATTEMPTS = 15;
const TIMEOUT_MS = 10_000;
const BACKOFF_MS = 1_000;
const BACKOFF_MAX_MS = 5 * 60 * 1_000;

/** What came of an event that was sent to see whether it arrives. */
export interface SubscriptionTest {
  readonly taken: boolean;
  /** One line; null: it was taken. */
  readonly error: string | null;
  readonly tookMs: number;
}

interface SubscriptionsContext {
  readonly client: Queryable;
  readonly namespace: string;
  readonly ports: Readonly<Record<string, EventSink>>;
  readonly secrets: SecretReader;
  readonly allowed: Allowed | null;
  readonly now: () => number;
  /** There may be something to publish. */
  readonly changed: () => void;
}

export function subscriptionsOf(engine: Engine, namespace: string): Subscriptions {
  const { client, ports, secrets, allowed } = engine;
  const changed = (): void => {
    // Runloops look at who wants what when they look for work.
    engine.tell("cairn_work");
    engine.tell("cairn_outbox");
  };
  return new Subscriptions({ client, namespace, ports, secrets, allowed, now: () => engine.now(), changed });
}

/** Who wants which events of a namespace, and where. */
export class Subscriptions {
  readonly #context: SubscriptionsContext;

  constructor(context: SubscriptionsContext) {
    this.#context = context;
  }

  /** By name: one that is there is changed. Events that are published from then on go there; a pause stays. */
  async upsert(subscription: NewSubscription): Promise<SubscriptionStatus> {
    const { client, namespace } = this.#context;
    const wanted = parseNoun(NewSubscription, "The subscription", subscription);
    checkTarget(wanted.target, this.#context.allowed);
    const { maxAttempts = MAX_ATTEMPTS, timeoutMs = TIMEOUT_MS, backoffMs = BACKOFF_MS } = wanted;
    const backoffMaxMs = wanted.backoffMaxMs ?? Math.max(BACKOFF_MAX_MS, backoffMs);
    if (backoffMaxMs < backoffMs) {
      throw new EngineError("InvalidOption", `backoffMaxMs (${backoffMaxMs}) is at least backoffMs (${backoffMs})`);
    }
    const settings = { ...wanted, maxAttempts, timeoutMs, backoffMs, backoffMaxMs };
    for (let tries = 1; ; tries++) {
      await upsertSubscription(client, namespace, settings);
      this.#context.changed();
      const [made] = await listSubscriptions(client, namespace, wanted.name);
      if (made !== undefined) return made;
      // Somebody deletes it meanwhile, and this came later: it is to be there.
      if (tries === UPSERTS_MAX) throw new EngineError("HeldUp", `${wanted.name} is deleted as often as it is made`);
    }
  }

  list(): Promise<SubscriptionStatus[]> {
    return listSubscriptions(this.#context.client, this.#context.namespace);
  }

  async show(name: string): Promise<SubscriptionStatus> {
    const [found] = await listSubscriptions(this.#context.client, this.#context.namespace, name);
    return found ?? this.#unknown(name);
  }

  /** What it wants waits until it is resumed. */
  async pause(name: string, reason = "paused by an operator"): Promise<void> {
    const { client, namespace, changed } = this.#context;
    if (!(await pauseSubscription(client, namespace, name, reason))) this.#unknown(name);
    changed();
  }

  async resume(name: string): Promise<void> {
    const { client, namespace, changed } = this.#context;
    if (!(await resumeSubscription(client, namespace, name))) this.#unknown(name);
    changed();
  }

  /** With all that waits for it. */
  async delete(name: string): Promise<void> {
    const { client, namespace, changed } = this.#context;
    if (!(await deleteSubscription(client, namespace, name))) this.#unknown(name);
    changed();
  }

  /** Sends it one event of the type `cairn.test.v1`, from this process, whatever its patterns are. */
  async test(name: string): Promise<SubscriptionTest> {
    const { client, namespace, ports, secrets, allowed } = this.#context;
    const all = await allSubscriptions(client);
    const about = all.find((each) => each.namespace === namespace && each.name === name) ?? this.#unknown(name);
    const closing = new AbortController().signal;
    const subscriber = new Subscriber(about, {
      ports,
      secrets,
      allowed,
      closing,
      now: () => this.#context.now(),
      random: Math.random,
      count: () => {},
      warn: () => {},
    });
    const [at, before] = [this.#context.now(), performance.now()];
    const event = {
      id: 0,
      namespace,
      runId: newRunId(at),
      type: "cairn.test.v1",
      data: "null",
      traceparent: null,
      createdAt: at,
    };
    const [outcome = HELD_BACK] = await subscriber.deliver([event]);
    await subscriber.close();
    const error = outcome.taken ? null : outcome.error;
    return { taken: outcome.taken, error, tookMs: Math.round(performance.now() - before) };
  }

  #unknown(name: string): never {
    throw new EngineError("NotFound", `There is no subscription ${JSON.stringify(name)} in ${this.#context.namespace}`);
  }
}
