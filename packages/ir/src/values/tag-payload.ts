import { TIME_MAX } from "../duration.ts";
import { bytesOfBase64 } from "./base64.ts";
import { BIGINT_DIGITS_MAX, isBigintTooLarge } from "./primitive-text.ts";

// What the payloads of tags must look like. Each function returns what is in a payload or throws `Wrong`.

/** Says what is wrong with a payload; the decoder knows where. */
export class Wrong {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

const LENGTH_MAX = 2 ** 32 - 1;

export function isJsonObject(node: unknown): node is JsonObject {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}

export function numberOf(payload: unknown): number {
  switch (payload) {
    case "NaN":
      return NaN;
    case "-0":
      return -0;
    case "Infinity":
      return Infinity;
    case "-Infinity":
      return -Infinity;
    default:
      throw new Wrong('$number holds "NaN", "-0", "Infinity" or "-Infinity"');
  }
}

export function bigintOf(payload: unknown): bigint {
  // The length first, for the pattern looks at every digit.
  if (typeof payload === "string" && payload.length <= BIGINT_DIGITS_MAX + 1 && /^(?:0|-?[1-9]\d*)$/.test(payload)) {
    const value = BigInt(payload);
    if (!isBigintTooLarge(value)) return value;
  }
  throw new Wrong(`$bigint holds a whole number in decimal digits, ${BIGINT_DIGITS_MAX} at most`);
}

export function timeOf(payload: unknown): number {
  if (payload === null) return NaN;
  if (Number.isInteger(payload) && Math.abs(payload as number) <= TIME_MAX) return payload as number;
  throw new Wrong("$date holds whole milliseconds within ±8.64e15, or null");
}

export function bytesOf(payload: unknown): Uint8Array {
  const bytes = typeof payload === "string" ? bytesOfBase64(payload) : undefined;
  if (bytes === undefined) throw new Wrong("$bytes holds padded base64");
  return bytes;
}

export function hrefOf(payload: unknown): string {
  if (typeof payload !== "string") throw new Wrong("$url holds a string");
  return payload;
}

export function paramsOf(payload: unknown): readonly (readonly [string, string])[] {
  return listOf(payload, "$params").map((pair) => {
    const [name, value] = pairOf(pair, "$params", "[name, value]");
    if (typeof name === "string" && typeof value === "string") return [name, value] as const;
    throw new Wrong("$params holds pairs of strings");
  });
}

export function listOf(payload: unknown, tag: string): readonly unknown[] {
  if (!Array.isArray(payload)) throw new Wrong(`${tag} holds a list`);
  return payload;
}

export function pairOf(node: unknown, tag: string, shape: string): readonly [unknown, unknown] {
  if (!Array.isArray(node) || node.length !== 2) throw new Wrong(`${tag} holds ${shape}`);
  return node as [unknown, unknown];
}

export interface SparseParts {
  readonly length: number;
  readonly indices: readonly number[];
  readonly elements: readonly unknown[];
  readonly props: JsonObject;
}

export function sparseOf(payload: unknown): SparseParts {
  const { length, items, props = {} } = fieldsOf(payload, "$array", ["length", "items", "props"]);
  if (!Number.isInteger(length) || (length as number) < 0 || (length as number) > LENGTH_MAX) {
    throw new Wrong("the length of an $array is a whole number below 2^32");
  }
  const indices: number[] = [];
  const elements: unknown[] = [];
  for (const item of listOf(items, "the items of an $array")) {
    const [index, element] = pairOf(item, "the items of an $array", "[index, value]");
    const isNext = Number.isInteger(index) && (index as number) > (indices.at(-1) ?? -1);
    if (!isNext || (index as number) >= (length as number)) {
      throw new Wrong("the items of an $array have ascending indices below its length");
    }
    indices.push(index as number);
    elements.push(element);
  }
  if (!isJsonObject(props)) throw new Wrong("the props of an $array are an object");
  for (const key of Object.keys(props)) {
    if (key === "length" || isArrayIndex(key)) throw new Wrong("the props of an $array are neither length nor index");
  }
  return { length: length as number, indices, elements, props };
}

export interface ErrorPayload {
  readonly names: readonly string[];
  readonly message: string | undefined;
  readonly fields: JsonObject;
  readonly props: JsonObject;
}

export function errorOf(payload: unknown): ErrorPayload {
  const fields = fieldsOf(payload, "$error", ["names", "message", "cause", "errors", "props"]);
  const { message, props = {} } = fields;
  const names = listOf(fields["names"], "the names of an $error");
  if (!names.every((name) => typeof name === "string" && name !== "") || names.at(-1) !== "Error") {
    throw new Wrong('the names of an $error are strings, the last of them "Error"');
  }
  if (message !== undefined && typeof message !== "string") throw new Wrong("the message of an $error is a string");
  if (!isJsonObject(props)) throw new Wrong("the props of an $error are an object");
  if (Object.hasOwn(props, "stack") || Object.hasOwn(props, "cause")) {
    throw new Wrong("the props of an $error hold neither stack nor cause");
  }
  return { names: names as readonly string[], message, fields, props };
}

/** Without a prototype, so that a field that is not there is not inherited either. */
function fieldsOf(payload: unknown, tag: string, known: readonly string[]): JsonObject {
  if (!isJsonObject(payload)) throw new Wrong(`${tag} holds an object`);
  for (const key of Object.keys(payload)) {
    if (!known.includes(key)) throw new Wrong(`${tag} has no ${JSON.stringify(key)}`);
  }
  return Object.assign(Object.create(null) as Record<string, unknown>, payload);
}

function isArrayIndex(key: string): boolean {
  return String(Number(key) >>> 0) === key && key !== "4294967295";
}
