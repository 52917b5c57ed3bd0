import { setTimeout as delay } from "node:timers/promises";
import { type Dispatch, fitsInBytes, INLINE_BYTES_MAX, type Value } from "@cairnjs/protocol";
import { Backoff } from "./session/backoff.ts";
import type { Connection } from "./session/connection.ts";
import { Refused } from "./session/refused.ts";

/** Nobody wants the value any more. */
export class Unwanted extends Error {
  override name = "Unwanted";
}

/** The parts of a dispatch that may be long, as texts. */
export interface DispatchTexts {
  readonly args: string;
  readonly options: string | null;
  readonly heartbeatDetails: string | null;
}

export interface ValuesOptions {
  /** Resolves when there is one. */
  readonly connection: () => Promise<Connection>;
  readonly random: () => number;
}

/** Values as they travel: longer ones are in the blob store. */
export class Values {
  readonly #options: ValuesOptions;

  constructor(options: ValuesOptions) {
    this.#options = options;
  }

  /** A promise only for those that must be put first. Rejects if they are refused for good, or unwanted meanwhile. */
  toWire(text: string, isWanted: () => boolean): Value | Promise<Value> {
    if (fitsInBytes(text, INLINE_BYTES_MAX)) return { json: text };
    const bytes = Buffer.from(text);
    return this.#patiently(async (connection) => ({ blob: await connection.putBlob(bytes) }), isWanted);
  }

  /** What a call is given: a promise only if some of it must be fetched first. */
  textsOf(dispatch: Dispatch, isWanted: () => boolean): DispatchTexts | Promise<DispatchTexts> {
    const { args, options, heartbeatDetails } = dispatch;
    const isHere = [args, options, heartbeatDetails].every((value) => value === null || "json" in value);
    if (!isHere) return this.#fetched(dispatch, isWanted);
    return { args: inline(args)!, options: inline(options), heartbeatDetails: inline(heartbeatDetails) };
  }

  async #fetched(dispatch: Dispatch, isWanted: () => boolean): Promise<DispatchTexts> {
    const text = async (value: Value | null): Promise<string | null> => {
      if (value === null || "json" in value) return inline(value);
      const { blob } = value;
      return this.#patiently(async (connection) => Buffer.from(await connection.getBlob(blob)).toString(), isWanted);
    };
    const [args, options, heartbeatDetails] = await Promise.all([
      text(dispatch.args),
      text(dispatch.options),
      text(dispatch.heartbeatDetails),
    ]);
    return { args: args!, options, heartbeatDetails };
  }

  /** As long as it is wanted and not refused for good: whoever waits for a call waits for its values too. */
  async #patiently<T>(ask: (connection: Connection) => Promise<T>, isWanted: () => boolean): Promise<T> {
    const backoff = new Backoff(this.#options.random);
    for (;;) {
      const connection = await this.#options.connection();
      if (!isWanted()) throw new Unwanted("Nobody wants this value any more");
      try {
        return await ask(connection);
      } catch (error) {
        if (!(error instanceof Refused) || !error.mayChange) throw error;
      }
      await delay(backoff.nextMs());
    }
  }
}

function inline(value: Value | null): string | null {
  return value !== null && "json" in value ? value.json : null;
}
