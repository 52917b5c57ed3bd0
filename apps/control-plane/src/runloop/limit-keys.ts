import { decodeValue, nativeBuilder } from "@cairnjs/ir";
import { deliver, type Image, loadProgram, newMachine } from "@cairnjs/vm";
import type { LimitKey } from "../store/limits.ts";

/** The key of a call, by its arguments in the tagged encoding. Throws `InvalidLimitKey`. */
export type KeyOf = (args: string) => string;

/** What there is no key for. */
export class InvalidLimitKey extends Error {
  override name = "InvalidLimitKey";
}

/** Of a key function: it looks at arguments, and does not work on them. */
const FUEL_MAX = 1_000_000;
const KEY_LENGTH_MAX = 500;

/** The control plane has none of the users' codecs: what is in their instances is no key. */
const ANYTHING = Object.assign(nativeBuilder(), { codec: (_name: string, payload: unknown) => payload });

export function keyFunction(key: LimitKey | null | undefined): KeyOf {
  if (key === null || key === undefined) return () => "";
  if ("path" in key) {
    const names = key.path.split(".");
    return (args) => keyText(at(decodeValue(args, ANYTHING), names), `what is at ${key.path}`);
  }
  const { program } = key;
  let image: Image | null = null;
  return (args) => {
    image ??= loadProgram(JSON.parse(program));
    return computed(image, args);
  };
}

function at(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** Texts, numbers and booleans that look alike are different keys. */
function keyText(value: unknown, what: string): string {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
    throw new InvalidLimitKey(`The key of a limit is a text, a number or a boolean, and ${what} is none`);
  }
  const text = typeof value === "number" ? `n${value}` : typeof value === "boolean" ? `b${value}` : `t${value}`;
  if (
    text.length > KEY_LENGTH_MAX ||
    /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text)
  ) {
    throw new InvalidLimitKey(
      `The key of a limit is a text that can be stored, of at most ${KEY_LENGTH_MAX - 1} characters`,
    );
  }
  return text;
}

/** By a program whose input are the arguments, and which does nothing but return. */
function computed(image: Image, args: string): string {
  const info = {
    id: "00000000-0000-7000-8000-000000000000",
    type: "key",
    version: "1",
    namespace: "default",
    attempt: 1,
    startedAt: 0,
    parent: null,
    tags: [],
  };
  const start = { kind: "start", at: 0, value: args, seed: "key", info } as const;
  const delivery = deliver(newMachine(image), start, FUEL_MAX);
  if (!delivery.done) throw new InvalidLimitKey("The function that makes the key of a limit takes too long");
  const end = delivery.effects.find((effect) => effect.kind === "end");
  if (end === undefined) throw new InvalidLimitKey("The function that makes the key of a limit waits for something");
  if (end.status !== "succeeded")
    throw new InvalidLimitKey(`The function that makes the key of a limit failed: ${end.value}`);
  return keyText(decodeValue(end.value, ANYTHING), "what its function returns");
}
