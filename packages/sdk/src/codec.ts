import type { Codec } from "@cairnjs/ir";
import { SEALED_NAME } from "./sealed.ts";

/** How instances of a class are stored: as a payload of storable values, from which equal ones can be made. */
export interface CodecFunctions<T, Payload> {
  readonly encode: (value: T) => Payload;
  readonly decode: (payload: Payload) => T;
}

/**
 * Makes instances of a class storable. The name goes into stored data and must never change. Instances of subclasses
 * are not stored by it: they would come back as something else.
 */
export function codec<T extends object, Payload>(
  name: string,
  type: { readonly prototype: T },
  { encode, decode }: CodecFunctions<T, Payload>,
): void {
  if (typeof name !== "string" || name === "") throw new TypeError("codec() takes a name as its first argument");
  if (typeof type !== "function") throw new TypeError(`codec("${name}") takes a class as its second argument`);
  if (typeof encode !== "function" || typeof decode !== "function") {
    throw new TypeError(`codec("${name}") takes { encode, decode } as its last argument`);
  }
  if (name === SEALED_NAME) throw new TypeError(`The name ${SEALED_NAME} is for sealed values. Choose another name.`);
  refuseBuiltIn(name, type);
  refuseOther(name, type);
  const { prototype } = type;
  putCodec({
    name,
    type,
    matches: (value) => Object.getPrototypeOf(value) === prototype,
    encode: (value) => named(name, "encode", () => encode(value as T)),
    decode: (payload) => named(name, "decode", () => decode(payload as Payload)),
  });
}

/** Whoever reads what went wrong with a value knows the codec by its name alone. */
function named<Made>(codec: string, step: "encode" | "decode", work: () => Made): Made {
  try {
    return work();
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new Error(`${step} of the codec "${codec}" threw: ${what}`, { cause: error });
  }
}

/** Everyone relies on how these are stored, and bodies look into them, which they cannot do with instances of a codec. */
const STORED_ANYWAY: ReadonlySet<unknown> = new Set([Object, Array, Date, Map, Set, Uint8Array, URL, URLSearchParams]);

function refuseBuiltIn(name: string, type: { readonly name: string; readonly prototype: unknown }): void {
  const isError = (type as unknown) === Error || type.prototype instanceof Error;
  if (!isError && !STORED_ANYWAY.has(type)) return;
  const why = isError
    ? "Errors are stored with their class, message, cause and properties"
    : `${type.name} is stored as it is`;
  throw new TypeError(`codec("${name}") is for the class ${type.name}, which needs none. ${why}.`);
}

/** All that are registered, for those who encode and decode values. */
export function codecs(): readonly Codec[] {
  return [...registry().values()];
}

interface RegisteredCodec extends Codec {
  /** What the name stands for. */
  readonly type: object;
}

/** For codecs whose classes come in several copies: the last one counts. */
export function putCodec(codec: RegisteredCodec): void {
  registry().set(codec.name, codec);
}

function refuseOther(name: string, type: object): void {
  for (const other of registry().values()) {
    if (other.name === name && other.type !== type) {
      throw new Error(`There is a codec "${name}" already, for another class. Choose another name.`);
    }
    if (other.name !== name && other.type === type) {
      throw new Error(`The class of codec "${name}" has a codec already, "${other.name}". Register it once.`);
    }
  }
}

/** Registered: a project may have two copies of this package, and its classes are the same for both. */
const REGISTRY = Symbol.for("cairnjs.codecs");

function registry(): Map<string, RegisteredCodec> {
  const holder = globalThis as { [REGISTRY]?: Map<string, RegisteredCodec> };
  holder[REGISTRY] ??= new Map();
  return holder[REGISTRY];
}
