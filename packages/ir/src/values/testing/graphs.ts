import fc from "fast-check";
import type { Codec } from "../codec.ts";
import type { NativeErrorClass, NativeErrorClasses } from "../native-error-names.ts";

// Storable graphs of every kind, with sharing and cycles wherever the encoding has them.

export class Box {
  readonly content: unknown;

  constructor(content: unknown) {
    this.content = content;
  }
}

export const CODECS: readonly Codec[] = [
  {
    name: "box",
    matches: (value) => value instanceof Box,
    encode: (value) => (value as Box).content,
    decode: (payload) => new Box(payload),
  },
];

class AppError extends Error {}
class PaymentError extends AppError {
  constructor(code: string) {
    super(`payment ${code.length}`);
  }
}

export const ERROR_CLASSES: NativeErrorClasses = new Map<string, NativeErrorClass>([
  ["AppError", AppError],
  ["PaymentError", PaymentError],
]);

const SOURCES = [Error, TypeError, RangeError, AggregateError, AppError, PaymentError] as const;

const KINDS = ["object", "array", "sparse", "map", "set", "error", "box", "date", "bytes", "url", "params"] as const;
/** Kinds that hold no object: what a box may hold without leading back to itself. */
const LEAVES: readonly Kind[] = ["date", "bytes", "url", "params"];

type Kind = (typeof KINDS)[number];

interface Node {
  readonly kind: Kind;
  /** What the content of leaves and the class of errors is made of. */
  readonly choice: number;
  readonly slots: readonly (readonly [key: string, content: Content])[];
}

type Content = { readonly node: number } | { readonly primitive: unknown };

/** Every sequence of UTF-16 units, lone surrogates among them. */
export const anyString = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0x20, max: 0x7e }),
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0xd7ff, max: 0xe000 }),
    ),
    { maxLength: 8 },
  )
  .map((units) => String.fromCharCode(...units));

const anyKey = fc.oneof(
  fc.constantFrom("a", "b", "c", "0", "1", "4294967295", "", "length", "name", "errors", "__proto__", "toString"),
  fc.constantFrom("$", "$ref", "$def", "$object", "$undefined", "$date", "constructor", "code"),
  anyString,
);

const anyPrimitive = fc.oneof(
  fc.constantFrom(undefined, null, true, false, NaN, -0, 0, Infinity, -Infinity),
  fc.double(),
  fc.integer(),
  fc.bigInt(),
  anyString,
);

const anyContent: fc.Arbitrary<Content> = fc.oneof(
  anyPrimitive.map((primitive) => ({ primitive })),
  fc.nat(20).map((node) => ({ node })),
);

const anyNode: fc.Arbitrary<Node> = fc.record({
  kind: fc.constantFrom(...KINDS),
  choice: fc.nat(),
  slots: fc.array(fc.tuple(anyKey, anyContent), { maxLength: 5 }),
});

export const anyGraph: fc.Arbitrary<unknown> = fc
  .array(anyNode, { minLength: 1, maxLength: 14 })
  .map((nodes) => new Assembly(nodes).root());

/** Creates all objects first and fills them afterwards, so that content may point anywhere. */
class Assembly {
  readonly #nodes: readonly Node[];
  readonly #values: unknown[];

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
    this.#values = nodes.map(createEmpty);
    nodes.forEach((node, i) => {
      if (node.kind === "box") this.#values[i] = new Box(this.#leafFor(node));
    });
  }

  root(): unknown {
    this.#nodes.forEach((node, i) => this.#fill(node, this.#values[i]));
    return this.#values[0];
  }

  #leafFor(node: Node): unknown {
    const at = node.choice % this.#nodes.length;
    return LEAVES.includes(this.#nodes[at]!.kind) ? this.#values[at] : node.choice;
  }

  #fill(node: Node, value: unknown): void {
    const slots = node.slots.map(([key, content]) => [key, this.#read(content)] as const);
    if (value instanceof Map) for (const [, content] of slots) value.set(content, slots.at(-1)![1]);
    else if (value instanceof Set) for (const [, content] of slots) value.add(content);
    else if (value instanceof Error) this.#fillError(node, value, slots);
    else if (node.kind === "array") for (const [, content] of slots) (value as unknown[]).push(content);
    else if (node.kind === "sparse") fillSparse(node, value as unknown[], slots);
    else if (node.kind === "object") for (const [key, content] of slots) define(value as object, key, content, true);
  }

  #fillError(node: Node, error: Error, slots: readonly (readonly [string, unknown])[]): void {
    slots.forEach(([key, content], i) => {
      if (i === 0 && node.choice % 3 === 0) define(error, "cause", content, false);
      else if (i === 1 && node.choice % 5 === 0) define(error, "errors", content, false);
      else define(error, key, content, true);
    });
  }

  #read(content: Content): unknown {
    return "node" in content ? this.#values[content.node % this.#values.length] : content.primitive;
  }
}

function createEmpty({ kind, choice }: Node): unknown {
  switch (kind) {
    case "object":
      return choice % 7 === 0 ? Object.create(null) : {};
    case "array":
    case "sparse":
      return [];
    case "map":
      return new Map();
    case "set":
      return new Set();
    case "error":
      return createError(choice);
    case "date":
      return new Date(choice % 4 === 0 ? NaN : choice * 1000);
    case "bytes":
      return Uint8Array.from({ length: choice % 9 }, (_, i) => choice >> i);
    case "url":
      return new URL(`https://example.com:8080/p${choice}?q=ä#${choice}`);
    case "params":
      return new URLSearchParams([`a=${choice}&a=%26%3D`, "ü=&a", ""][choice % 3]);
    case "box":
      return undefined;
  }
}

function createError(choice: number): Error {
  const source = SOURCES[choice % SOURCES.length]!;
  const parameters = choice % 4 === 0 ? [] : [`message ${choice}`];
  return Reflect.construct(Error, parameters, source) as Error;
}

function fillSparse(node: Node, array: unknown[], slots: readonly (readonly [string, unknown])[]): void {
  array.length = node.choice % 6;
  slots.forEach(([key, content], i) => {
    if (i % 2 === 0) array[(i * 3 * (1 + (node.choice % 1000))) % 4_000_000_000] = content;
    else if (key !== "length") define(array, key, content, true);
  });
}

function define(target: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}
