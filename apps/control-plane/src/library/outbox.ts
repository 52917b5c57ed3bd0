import { LetterFilter, OutboxFilter } from "@cairnjs/schemas";
import {
  changeLetters,
  listOutbox,
  type OutboxDelivery,
  type OutboxEntry,
  type OutboxStats,
  outboxStats,
  showOutboxEvent,
} from "../store/outbox-letters.ts";
import type { Queryable } from "../store/statement.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { parseNoun } from "./parse-noun.ts";

const LIST_LIMIT = 100;

/** An event of the outbox, with what it says and for whom it waits. */
export interface OutboxEventView extends OutboxEntry {
  /** As subscribers get it. */
  readonly data: unknown;
  readonly deliveries: readonly OutboxDelivery[];
}

interface OutboxContext {
  readonly client: Queryable;
  readonly namespace: string;
  readonly changed: () => void;
}

export function outboxOf(engine: Engine, namespace: string): Outbox {
  return new Outbox({ client: engine.client, namespace, changed: () => engine.tell("cairn_outbox") });
}

/** Events for others, of a namespace: which there are, and what was not taken. */
export class Outbox {
  readonly #context: OutboxContext;

  constructor(context: OutboxContext) {
    this.#context = context;
  }

  /** The newest first. */
  list(filter: OutboxFilter = {}): Promise<OutboxEntry[]> {
    const { client, namespace } = this.#context;
    const wanted = parseNoun(OutboxFilter, "outbox.list()", filter);
    return listOutbox(client, namespace, { limit: LIST_LIMIT, ...wanted });
  }

  async show(id: number): Promise<OutboxEventView> {
    const { data, ...event } = await this.showStored(id);
    return { ...event, data: JSON.parse(data) as unknown };
  }

  /** With its data as it is stored. */
  async showStored(id: number): Promise<Omit<OutboxEventView, "data"> & { readonly data: string }> {
    const { client, namespace } = this.#context;
    const found = Number.isSafeInteger(id) && id > 0 ? await showOutboxEvent(client, namespace, id) : null;
    if (found === null)
      throw new EngineError("NotFound", `There is no event ${String(id)} in the outbox of ${namespace}`);
    return found;
  }

  /** Dead letters are offered again, each before what waits of its run. Returns how many. */
  redrive(filter: LetterFilter): Promise<number> {
    return this.#change(filter, "redrive");
  }

  /** Dead letters are given up for good. Returns how many. */
  discard(filter: LetterFilter): Promise<number> {
    return this.#change(filter, "discard");
  }

  stats(): Promise<OutboxStats> {
    return outboxStats(this.#context.client, this.#context.namespace);
  }

  async #change(filter: LetterFilter, change: "redrive" | "discard"): Promise<number> {
    const { client, namespace, changed } = this.#context;
    const count = await changeLetters(client, namespace, parseNoun(LetterFilter, `outbox.${change}()`, filter), change);
    changed();
    return count;
  }
}
