import type { Primitive, ValueBuilder } from "./builder.ts";
import { CAUSE, ERRORS, Frame, segmentsTo } from "./decode-frame.ts";
import type { FrameKind } from "./decode-frame.ts";
import { Definitions } from "./definitions.ts";
import { MalformedValue } from "./malformed-value.ts";
import { formatPath } from "./path.ts";
import {
  bigintOf,
  bytesOf,
  errorOf,
  hrefOf,
  isJsonObject,
  listOf,
  numberOf,
  pairOf,
  paramsOf,
  sparseOf,
  timeOf,
  Wrong,
} from "./tag-payload.ts";

export interface DecodeLimits {
  /** Bytes of the text in UTF-8. */
  readonly bytesMax?: number;
  /** Containers inside one another. */
  readonly depthMax?: number;
}

/** The value that a text encodes; throws `MalformedValue` for every other text. */
export function decodeValue<V>(text: string, builder: ValueBuilder<V>, limits: DecodeLimits = {}): V {
  const { bytesMax = Infinity, depthMax } = limits;
  if (isLonger(text, bytesMax)) throw new MalformedValue(ROOT, `the text has more than ${bytesMax} bytes`);
  let json: unknown;
  try {
    // V8's parser does not recurse: nesting of a million is no danger here.
    json = JSON.parse(text);
  } catch (error) {
    throw new MalformedValue(ROOT, "the text is not JSON", { cause: error });
  }
  return decodeParsed(json, builder, depthMax);
}

/** The same of what `JSON.parse` has made of the text. */
export function decodeParsed<V>(json: unknown, builder: ValueBuilder<V>, depthMax = Infinity): V {
  return new Decoder(builder, depthMax).decode(json);
}

const ROOT = "value";

/** Fills a graph along its JSON in one walk, without recursion. */
class Decoder<V> {
  readonly #builder: ValueBuilder<V>;
  readonly #depthMax: number;
  #top: Frame<V> | undefined = undefined;
  readonly #definitions = new Definitions<V>();
  /** The number of the `$def` just begun, until the value it defines exists. */
  #defining = -1;

  constructor(builder: ValueBuilder<V>, depthMax: number) {
    this.#builder = builder;
    this.#depthMax = depthMax;
  }

  decode(json: unknown): V {
    try {
      return this.#walk(json);
    } catch (thrown) {
      const reason = thrown instanceof Wrong ? thrown.reason : this.#builder.explain(thrown);
      if (reason === undefined) throw thrown;
      const options = thrown instanceof Wrong ? undefined : { cause: thrown };
      throw new MalformedValue(formatPath(ROOT, segmentsTo(this.#top)), reason, options);
    }
  }

  #walk(json: unknown): V {
    let made = this.#open(json);
    for (;;) {
      let frame = this.#top;
      if (made !== OPENED) {
        if (frame === undefined) return made;
        this.#place(frame, made);
      }
      frame = this.#top!;
      if (frame.index < frame.nodes.length) made = this.#open(frame.nodes[frame.index++]);
      else made = this.#finish(frame);
    }
  }

  /** Makes what has no content, or enters what has. */
  #open(node: unknown): V | typeof OPENED {
    if (typeof node !== "object" || node === null) {
      if (this.#defining !== -1) throw new Wrong("$def holds an object");
      if (typeof node === "number" && node - node !== 0) throw new Wrong("the number is out of range");
      return this.#builder.primitive(node as Primitive);
    }
    if (Array.isArray(node)) return this.#enter("array", this.#builder.array(), node, NONE);
    const keys = Object.keys(node);
    for (const key of keys) {
      if (key.charCodeAt(0) !== 0x24) continue;
      if (keys.length > 1) throw new Wrong("an object with a key that begins with $ has no other key");
      return this.#openTag(key, (node as Record<string, unknown>)[key]);
    }
    return this.#enter("object", this.#builder.object(), Object.values(node), keys);
  }

  #openTag(tag: string, payload: unknown): V | typeof OPENED {
    const builder = this.#builder;
    if (this.#defining !== -1 && !isObjectTag(tag)) throw new Wrong("$def holds an object");
    switch (tag) {
      case "$undefined":
        if (payload !== true) throw new Wrong("$undefined holds true");
        return builder.primitive(undefined);
      case "$number":
        return builder.primitive(numberOf(payload));
      case "$bigint":
        return builder.primitive(bigintOf(payload));
      case "$date":
        return this.#leaf(builder.date(timeOf(payload)));
      case "$bytes":
        return this.#leaf(builder.bytes(bytesOf(payload)));
      case "$url":
        return this.#leaf(builder.url(hrefOf(payload)));
      case "$params":
        return this.#leaf(builder.params(paramsOf(payload)));
      case "$object":
        if (!isJsonObject(payload)) throw new Wrong("$object holds an object");
        return this.#enter("object", builder.object(), Object.values(payload), Object.keys(payload));
      case "$map":
        return this.#openMap(payload);
      case "$set":
        return this.#enter("set", builder.set(), listOf(payload, "$set"), NONE);
      case "$array":
        return this.#openSparse(payload);
      case "$error":
        return this.#openError(payload);
      case "$codec":
        return this.#openCodec(payload);
      case "$def": {
        const [number, node] = pairOf(payload, "$def", "[number, value]");
        this.#defining = this.#definitions.begin(number);
        return this.#open(node);
      }
      case "$ref":
        return this.#definitions.valueOf(payload);
      default:
        throw new Wrong(`there is no tag ${JSON.stringify(tag)}`);
    }
  }

  #openMap(payload: unknown): typeof OPENED {
    const nodes: unknown[] = [];
    for (const entry of listOf(payload, "$map")) nodes.push(...pairOf(entry, "$map", "[key, value] pairs"));
    return this.#enter("map", this.#builder.map(), nodes, NONE);
  }

  #openSparse(payload: unknown): typeof OPENED {
    const { length, indices, elements, props } = sparseOf(payload);
    const nodes = [...elements, ...Object.values(props)];
    return this.#enter("sparse", this.#builder.sparse(length), nodes, [...indices, ...Object.keys(props)]);
  }

  #openError(payload: unknown): typeof OPENED {
    const { names, message, fields, props } = errorOf(payload);
    const nodes: unknown[] = [];
    const keys: (string | number)[] = [];
    for (const [field, key] of ERROR_PARTS) {
      if (!(field in fields)) continue;
      keys.push(key);
      nodes.push(fields[field]);
    }
    return this.#enter(
      "error",
      this.#builder.error(names, message),
      [...nodes, ...Object.values(props)],
      [...keys, ...Object.keys(props)],
    );
  }

  #openCodec(payload: unknown): typeof OPENED {
    const [name, node] = pairOf(payload, "$codec", "[name, payload]");
    if (typeof name !== "string") throw new Wrong("the name of a $codec is a string");
    this.#enter("codec", undefined, [node], NONE);
    const outerFirstInside = this.#definitions.firstInsideCodec;
    this.#top!.codec = { name, outerFirstInside };
    this.#definitions.firstInsideCodec = this.#definitions.count;
    return OPENED;
  }

  #leaf(value: V): V {
    if (this.#defining !== -1) {
      this.#definitions.create(this.#defining, value);
      this.#definitions.complete(this.#defining);
      this.#defining = -1;
    }
    return value;
  }

  #enter(
    kind: FrameKind,
    value: V | undefined,
    nodes: readonly unknown[],
    keys: readonly (string | number)[],
  ): typeof OPENED {
    const frame = new Frame(kind, this.#top, nodes, keys, value);
    if (frame.depth > this.#depthMax) throw new Wrong(`it is nested deeper than ${this.#depthMax}`);
    if (this.#defining !== -1) {
      frame.definition = this.#defining;
      if (value !== undefined) this.#definitions.create(this.#defining, value);
      this.#defining = -1;
    }
    this.#top = frame;
    return OPENED;
  }

  #place(frame: Frame<V>, value: V): void {
    const builder = this.#builder;
    const key = frame.keys[frame.index - 1];
    switch (frame.kind) {
      case "array":
        return builder.append(frame.value!, value);
      case "set":
        return builder.addMember(frame.value!, value);
      case "map":
        if (frame.index % 2 === 1) frame.key = value;
        else builder.setEntry(frame.value!, frame.key!, value);
        return;
      case "codec":
        frame.value = value;
        return;
      case "error":
        if (key === CAUSE) return builder.setCause(frame.value!, value);
        if (key === ERRORS) return builder.setErrors(frame.value!, value);
        return builder.define(frame.value!, key as string, value);
      default:
        if (typeof key === "number") return builder.setElement(frame.value!, key, value);
        return builder.define(frame.value!, key!, value);
    }
  }

  #finish(frame: Frame<V>): V {
    let value = frame.value as V;
    if (frame.codec !== undefined) {
      value = this.#builder.codec(frame.codec.name, value);
      this.#definitions.firstInsideCodec = frame.codec.outerFirstInside;
      if (frame.definition !== -1) this.#definitions.create(frame.definition, value);
    }
    if (frame.definition !== -1) this.#definitions.complete(frame.definition);
    this.#top = frame.parent;
    return value;
  }
}

/** Told by `open` instead of a value: a frame was entered that will give it. */
const OPENED = Symbol("opened");

const NONE: readonly never[] = [];

/** In the order of the text. */
const ERROR_PARTS = [
  ["cause", CAUSE],
  ["errors", ERRORS],
] as const;

const PRIMITIVE_TAGS: readonly string[] = ["$undefined", "$number", "$bigint", "$def", "$ref"];

function isObjectTag(tag: string): boolean {
  return !PRIMITIVE_TAGS.includes(tag);
}

/** Whether a text has more bytes in UTF-8; counts them only if the number of its UTF-16 units cannot tell. */
function isLonger(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  if (text.length * 3 <= bytesMax) return false;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A pair of surrogates has 4 bytes, so each counts 2.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes > bytesMax;
}
