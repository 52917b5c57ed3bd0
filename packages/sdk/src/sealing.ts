import type { Codec } from "@cairnjs/ir";
import { decodeCopy, encodeCopy, type EncodedCopy, type ParsedCopy } from "./copy.ts";
import { type PayloadCodec, sealedCodec, type SealedState, SealedUnread } from "./sealed.ts";

/**
 * Encodes a value with what is sealed in it, at any depth, made unreadable first. A promise only if something is. `encode` is called
 * with the codec to use; the second time, if what is sealed had to be waited for.
 */
export function sealing(
  encode: (sealed: Codec) => EncodedCopy,
  codec: PayloadCodec | null,
): EncodedCopy | Promise<EncodedCopy> {
  const texts = new Map<SealedState, string>();
  const collecting = sealedCodec(
    (state) => {
      if (state.value === null) return state.text ?? "";
      texts.set(state, "");
      return "";
    },
    (text) => ({ text, value: null }),
  );
  const copy = encode(collecting);
  if (texts.size === 0) return copy;
  return sealAll(texts, codec).then(() =>
    encode(
      sealedCodec(
        (state) => texts.get(state) ?? state.text ?? "",
        (text) => ({ text, value: null }),
      ),
    ),
  );
}

async function sealAll(texts: Map<SealedState, string>, codec: PayloadCodec | null): Promise<void> {
  if (codec === null) throw missing("sealed");
  for (const state of texts.keys()) {
    const inner = await sealing((sealed) => encodeCopy(state.value!.of, "sealed value", sealed), codec);
    const bytes = await run(codec, "encode", new TextEncoder().encode(inner.text));
    texts.set(state, toBase64(bytes));
  }
}

/** Decodes a value and opens what is sealed in it, at any depth. A promise only if something is. */
export function opening(copy: EncodedCopy | ParsedCopy, codec: PayloadCodec | null): unknown {
  const states: SealedState[] = [];
  const collecting = sealedCodec(
    ({ text }) => text ?? "",
    (text) => {
      const state: SealedState = { text, value: null };
      states.push(state);
      return state;
    },
  );
  const value = decodeCopy(copy, collecting);
  if (states.length === 0) return value;
  return openAll(states, copy, codec).then(() => value);
}

async function openAll(
  states: readonly SealedState[],
  { classes }: Pick<EncodedCopy, "classes">,
  codec: PayloadCodec | null,
): Promise<void> {
  if (codec === null) throw missing("opened");
  for (const state of states) {
    const bytes = await run(codec, "decode", fromBase64(state.text ?? ""));
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      JSON.parse(text);
    } catch {
      throw new SealedUnread(
        "What the codec has made of a sealed value is none: it is of another codec, or another key",
      );
    }
    state.value = { of: await opening({ text, classes }, codec) };
  }
}

/** Natively and in tests nothing leaves the process: what is sealed is only wrapped. */
export const IN_MEMORY: Codec = sealedCodec(
  ({ text, value }) => {
    if (value === null) return text ?? "";
    return toBase64(new TextEncoder().encode(encodeCopy(value.of, "sealed value", IN_MEMORY).text));
  },
  (text) => {
    const inner = { text: new TextDecoder().decode(fromBase64(text)), classes: new Map() };
    return { text, value: { of: decodeCopy(inner, IN_MEMORY) } };
  },
);

/** What a codec throws may quote what it was given: the message says nothing of it. */
async function run(codec: PayloadCodec, step: keyof PayloadCodec, bytes: Uint8Array): Promise<Uint8Array> {
  let made: unknown;
  try {
    made = await codec[step](bytes);
  } catch (error) {
    const kind = error instanceof Error ? error.name : typeof error;
    throw new SealedUnread(`${step} of the codec for sealed values has thrown an error (${kind})`, { cause: error });
  }
  if (made instanceof Uint8Array) return made;
  throw new SealedUnread(`${step} of the codec for sealed values has given no bytes`);
}

function missing(what: string): SealedUnread {
  return new SealedUnread(
    `A value is to be ${what}, and there is no codec: workers have it by CAIRN_CODEC, library mode by createCairn({ codec }), clients by createClient({ codec })`,
  );
}

/** Without Node.js, for browsers. */
function toBase64(bytes: Uint8Array): string {
  let binary = "";
  const part = 8_192;
  for (let at = 0; at < bytes.length; at += part) binary += String.fromCharCode(...bytes.subarray(at, at + part));
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new SealedUnread("A sealed value is no base64");
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
