import { inspect } from "node:util";
import type { ActionLog } from "./action-context.ts";
import { errorsIn, setMessage } from "./stacks.ts";
import type { GivenSecrets } from "./secret.ts";

const SHOWN = "***";
/** Of what a handler logs: deeper parts are left out. */
const DEPTH_MAX = 8;
const ITEMS_MAX = 1_000;

/** A secret that is shorter is nothing to look for: it would be found in every other word. */
const LENGTH_MIN = 3;
/** Of one line of several, and of what is left of base64 whose ends belong to other bytes. */
const PART_LENGTH_MIN = 8;

/** How deep a text of JSON within JSON is looked for. */
const JSON_LEVELS = 3;

/** A text without the secrets that are in it: as they are, and as URLs, base64, hex and JSON have them. */
export function redactText(text: string, secrets: GivenSecrets | undefined): string {
  if (secrets === undefined) return text;
  let redacted = text;
  for (const form of formsOf(secrets)) redacted = redacted.replaceAll(form, SHOWN);
  return redacted;
}

const known = new WeakMap<GivenSecrets, readonly string[]>();

/** The longest first: one may be part of another. */
function formsOf(secrets: GivenSecrets): readonly string[] {
  const before = known.get(secrets);
  if (before !== undefined) return before;
  const forms = new Set(
    [...secrets.values()].flatMap((secret) => [...formsOfOne(secret), ...formsOfOne(secret.trim())]),
  );
  const found = [...forms].toSorted((one, other) => other.length - one.length);
  known.set(secrets, found);
  return found;
}

function formsOfOne(secret: string): string[] {
  if (secret.length < LENGTH_MIN) return [];
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const texts = [secret, ...secret.split(/\r?\n/).filter((line) => line.length >= PART_LENGTH_MIN)];
  const encoded = [bytes.toString("base64"), ...[0, 1, 2].flatMap((before) => innerBase64(bytes, before))];
  return [
    ...texts,
    ...texts.flatMap(jsonForms),
    encodedBy(encodeURIComponent, secret),
    encodedBy(encodeURI, secret),
    ...encoded,
    ...encoded.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    hex,
    hex.toUpperCase(),
  ];
}

/** In JSON, in JSON that is a text of other JSON, and once more: what is thrown of an answer often quotes it so. */
function jsonForms(text: string): string[] {
  const forms: string[] = [];
  let inner = text;
  for (let level = 1; level <= JSON_LEVELS; level++) {
    inner = JSON.stringify(inner).slice(1, -1);
    forms.push(inner);
  }
  return forms;
}

/** Where so many bytes (and a multiple of three) stand before it, and whatever behind it: without the letters that have bits of those. */
function innerBase64(bytes: Buffer, before: number): string[] {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const inner = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  return inner.length < PART_LENGTH_MIN ? [] : [inner];
}

function encodedBy(encode: (text: string) => string, secret: string): string {
  try {
    return encode(secret);
  } catch {
    return secret;
  }
}

/** An encoded value without secrets: texts in it, and names of properties that are no part of the encoding. */
export function redactEncoded(json: string, secrets: GivenSecrets | undefined): string {
  if (secrets === undefined || secrets.size === 0) return json;
  return json.replaceAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g, (token: string, colon: string | undefined) => {
    const text = JSON.parse(colon === undefined ? token : token.slice(0, -colon.length)) as string;
    if (colon !== undefined && (text.startsWith("$") || ENCODING.has(text))) return token;
    const redacted = redactText(text, secrets);
    return redacted === text ? token : JSON.stringify(redacted) + (colon ?? "");
  });
}

/** Names that the encoding of errors gives meaning to. */
const ENCODING: ReadonlySet<string> = new Set(["names", "message", "cause", "errors", "props"]);

/** A log that shows no secrets. */
export function redactingLog(log: ActionLog, secrets: GivenSecrets | undefined): ActionLog {
  if (secrets === undefined || secrets.size === 0) return log;
  const write =
    (level: keyof ActionLog) =>
    (message: unknown, details?: unknown): void => {
      // Whoever writes no TypeScript may give anything: no log fails an attempt.
      const text = redactedCopy(message, secrets) as string;
      if (details === undefined) log[level](text);
      else log[level](text, redactedCopy(details, secrets));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** What a handler logs, as a copy: plain objects, lists, errors and texts; others as texts, since nobody knows what they show. */
function redactedCopy(value: unknown, secrets: GivenSecrets, depth = 0): unknown {
  if (typeof value === "string") return redactText(value, secrets);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_MAX) return "…";
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((each) => redactedCopy(each, secrets, depth + 1));
  if (value instanceof Error) return redactedError(value, secrets, depth);
  if (value instanceof Date) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return redactText(textOf(value), secrets);
  return redactedProperties(value, secrets, depth);
}

function redactedProperties(value: object, secrets: GivenSecrets, depth: number): object {
  const entries = Object.entries(value).slice(0, ITEMS_MAX);
  return Object.fromEntries(
    entries.map(([key, each]) => [redactText(key, secrets), redactedCopy(each, secrets, depth + 1)]),
  );
}

function textOf(value: object): string {
  // Digits of bytes would be letters of a secret.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `(${value.byteLength} bytes)`;
  try {
    return inspect(value);
  } catch {
    return "(cannot be read)";
  }
}

function redactedError(error: Error, secrets: GivenSecrets, depth: number): Error {
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Error;
  const hidden = (name: string, value: unknown): void =>
    void Object.defineProperty(copy, name, { value, enumerable: false, configurable: true, writable: true });
  hidden("message", redactText(error.message, secrets));
  hidden("stack", redactText(error.stack ?? "", secrets));
  if (error.cause !== undefined) hidden("cause", redactedCopy(error.cause, secrets, depth + 1));
  return Object.assign(copy, redactedProperties(error, secrets, depth));
}

/** Messages and stacks of an error that a test sees as it was thrown. */
export function redactThrown(thrown: unknown, secrets: GivenSecrets | undefined): void {
  if (secrets === undefined || secrets.size === 0) return;
  for (const error of errorsIn(thrown)) setMessage(error, redactText(error.message, secrets));
}
