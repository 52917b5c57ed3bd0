import type { Codec } from "@cairnjs/ir";

/**
 * How users make payloads unreadable to everyone but their own code: encrypted, most often. It is given to workers, to library mode and
 * to clients. Bytes are UTF-8 of the value in its encoding.
 */
export interface PayloadCodec {
  encode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  decode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** By this name stored values know what is sealed: `{"$codec":["cairn.sealed","…"]}`, with base64. It never changes. */
export const SEALED_NAME = "cairn.sealed";

/** Registered: a tool and a project may have a copy of this package each. */
const STATE = Symbol.for("cairnjs.sealed");

/** Either is known, or both. */
export interface SealedState {
  /** Base64 of what the codec has made of it. */
  text: string | null;
  value: { readonly of: unknown } | null;
}

/**
 * A value that is unreadable wherever it is stored or travels. Bodies of workflows hold it and pass it on; actions and clients, which
 * have the codec, read `value`. It shows itself to no log.
 */
export class Sealed<T> {
  declare readonly [STATE]: SealedState;

  constructor(state: SealedState) {
    Object.defineProperty(this, STATE, { value: state });
  }

  get value(): T {
    const { value } = this[STATE];
    if (value !== null) return value.of as T;
    throw new SealedUnread("A sealed value was not opened here: it is where a codec is given, in actions and clients");
  }

  toJSON(): string {
    return "[sealed]";
  }

  toString(): string {
    return "[sealed]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[sealed]";
  }
}

/** Of a codec that is missing, or fails. */
export class SealedUnread extends Error {
  readonly #thrown: unknown;

  static {
    Object.defineProperty(this.prototype, "name", { value: "SealedUnread", configurable: true, writable: true });
    // What a codec throws may quote what it was given. Who has the error in hand reads it; as it is none of its own properties, it is not
    // stored with it.
    Object.defineProperty(this.prototype, "cause", {
      get(this: object) {
        return #thrown in this ? this.#thrown : undefined;
      },
      configurable: true,
    });
  }

  constructor(message?: string, { cause }: ErrorOptions = {}) {
    super(message);
    this.#thrown = cause;
  }
}

/** Marks a value to be made unreadable before it leaves this process. */
export function sealed<T>(value: T): Sealed<T> {
  return new Sealed<T>({ text: null, value: { of: value } });
}

function stateOf(value: object): SealedState | undefined {
  return (value as { readonly [STATE]?: SealedState })[STATE];
}

/** How sealed values are written and read by one encoding: see `sealing.ts`. */
export function sealedCodec(write: (state: SealedState) => string, read: (text: string) => SealedState): Codec {
  return {
    name: SEALED_NAME,
    matches: (value) => stateOf(value) !== undefined,
    encode: (value) => write(stateOf(value as object)!),
    decode: (payload) => {
      if (typeof payload !== "string") throw new SealedUnread("What is sealed is a text");
      return new Sealed(read(payload));
    },
  };
}

/** Where nobody has a codec: what is sealed is passed on as it is, and nothing is sealed. */
export const CLOSED: Codec = sealedCodec(
  ({ text, value }) => {
    if (text !== null && value === null) return text;
    throw new SealedUnread(
      "A sealed value cannot be written here: no codec is given. Workers have it by CAIRN_CODEC, library mode by createCairn({ codec }), clients by createClient({ codec })",
    );
  },
  (text) => ({ text, value: null }),
);
