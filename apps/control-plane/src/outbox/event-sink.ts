/** An event on its way to someone. */
export interface OutgoingEvent {
  /** The same each time it is sent: by it, whoever has it already knows it. */
  readonly id: string;
  readonly namespace: string;
  readonly runId: string;
  readonly type: string;
  /** The whole event as CloudEvents 1.0 writes it in JSON, in structured mode. */
  readonly json: string;
}

/** What has become of it. */
export type SinkOutcome =
  | { readonly taken: true }
  | {
      readonly taken: false;
      /**
       * Refused: this event, and it counts as an attempt. Away: nobody is there, for any event. Gone: nobody ever will be. Held back:
       * it was not tried.
       */
      readonly why: "refused" | "away" | "gone" | "held back";
      /** One line for people. */
      readonly error: string;
      /** Of one that is away: perhaps it is the event that takes it down, each time. */
      readonly mayBeEvent?: boolean;
    };

/**
 * Somewhere that events go to. They come in the order of each run: when one is not taken, those behind it of the same run must not
 * be sent.
 */
export interface EventSink {
  /** An outcome for each, in their order. What it throws concerns all of them, as if nobody were there. */
  publish(events: readonly OutgoingEvent[]): Promise<readonly SinkOutcome[]>;
  close?(): Promise<void>;
}

/** Of those that take one event at a time. */
export interface SingleSink {
  send(event: OutgoingEvent): Promise<SinkOutcome>;
  close(): Promise<void>;
}

export const TAKEN: SinkOutcome = { taken: true };
export const HELD_BACK: SinkOutcome = { taken: false, why: "held back", error: "" };

/** Of what somebody else's code has answered, which may be anything. */
export function outcomeOf(answered: unknown): SinkOutcome {
  const { taken, why, error } = (answered ?? {}) as { readonly [key in "taken" | "why" | "error"]?: unknown };
  if (taken === true) return TAKEN;
  if (taken === false && why === "held back") return HELD_BACK;
  const isKnown = taken === false && (why === "refused" || why === "away" || why === "gone");
  if (!isKnown) return notTaken("away", "The port gave no outcome of an event");
  return notTaken(why, error instanceof Error ? error.message : String(error));
}

export function notTaken(why: "refused" | "away" | "gone", error: string, mayBeEvent = false): SinkOutcome {
  return { taken: false, why, error: oneLine(error), mayBeEvent };
}

const ERROR_LENGTH_MAX = 500;

/** Of what others say: Postgres takes no NUL in text, and no half of a surrogate pair. */
function oneLine(text: string): string {
  const short = text.replaceAll(/\s+/g, " ").replaceAll("\0", "\u2400").trim().slice(0, ERROR_LENGTH_MAX);
  return Buffer.from(short).toString();
}
