import { Frame, segmentsTo } from "./encode-frame.ts";
import { leafText } from "./leaf-text.ts";
import { MetObjects } from "./met-objects.ts";
import { NotStorable, unstorable } from "./not-storable.ts";
import type { Unstorable } from "./not-storable.ts";
import { formatPath } from "./path.ts";
import { BIGINT_DIGITS_MAX, isBigintTooLarge, primitiveText, quote } from "./primitive-text.ts";
import type { ValueReader } from "./reader.ts";
import { insertReferences } from "./references.ts";
import type { Reference } from "./references.ts";

/**
 * Characters of text at most. Without a limit a getter that makes a new object at each call would be
 * followed until memory ends.
 */
export const ENCODED_LENGTH_MAX = 128 * 1024 * 1024;

/** The canonical text of a value, as values.md specifies it. `root` begins the path in a `NotStorable`. */
export function encodeValue<V>(
  value: V,
  reader: ValueReader<V>,
  root = "value",
  lengthMax = ENCODED_LENGTH_MAX,
): string {
  return primitiveText(value) ?? new Encoder(reader, root, lengthMax).encode(value);
}

/**
 * Writes a graph in one walk, without recursion: a chain of a million objects needs no host stack.
 *
 * I1  What stands in the text was read once, in the order of the text.
 * I2  `met` and `references` describe exactly what stands in `text`; dropping a part of an error takes back
 *     all three.
 * I3  Open frames are those from `top` along `parent`; all others have an `end`.
 */
class Encoder<V> {
  readonly #reader: ValueReader<V>;
  readonly #root: string;
  readonly #lengthMax: number;
  #text = "";
  #top: Frame<V> | undefined = undefined;
  #innermostCodec: Frame<V> | undefined = undefined;
  readonly #met = new MetObjects<V>();
  readonly #references: Reference<V>[] = [];
  #refused: Set<V> | undefined = undefined;

  constructor(reader: ValueReader<V>, root: string, lengthMax: number) {
    this.#reader = reader;
    this.#root = root;
    this.#lengthMax = lengthMax;
  }

  encode(value: V): string {
    this.#attempt(() => this.#open(value));
    while (this.#top !== undefined) this.#attempt(() => this.#walk());
    if (this.#references.length === 0) return this.#text;
    return insertReferences(this.#text, this.#met.frames, this.#references);
  }

  #attempt(run: () => void): void {
    try {
      run();
    } catch (thrown) {
      this.#recover(this.#culpritOf(thrown));
    }
  }

  #walk(): void {
    for (let frame = this.#top; frame !== undefined; frame = this.#top) {
      if (frame.index === frame.count) {
        this.#close(frame);
        continue;
      }
      const child = this.#next(frame);
      const text = primitiveText(child);
      if (text === undefined) this.#open(child);
      else this.#text += text;
      if (this.#text.length > this.#lengthMax) {
        throw new Refusal(unstorable("too-large", `${this.#lengthMax} characters of text`));
      }
    }
  }

  /** Writes what stands before the next child of a frame, and reads it. */
  #next(frame: Frame<V>): V {
    const position = frame.index++;
    switch (frame.kind) {
      case "object": {
        const key = frame.keys[position]!;
        this.#text += position === 0 ? `${quote(key)}:` : `,${quote(key)}:`;
        return this.#reader.get(frame.value, key);
      }
      case "array":
        if (position !== 0) this.#text += ",";
        return this.#reader.at(frame.value, position);
      case "map":
        this.#text += position % 2 === 1 ? "," : position === 0 ? "[" : "],[";
        return frame.items[position]!;
      case "set":
        if (position !== 0) this.#text += ",";
        return frame.items[position]!;
      case "sparse":
        return this.#nextOfSparse(frame, position);
      case "error":
        return this.#nextOfError(frame, position);
      default:
        return frame.items[position]!;
    }
  }

  #nextOfSparse(frame: Frame<V>, position: number): V {
    const { indices, keys } = frame;
    if (position < indices.length) {
      const index = indices[position]!;
      this.#text += position === 0 ? `[${index},` : `],[${index},`;
      return this.#reader.at(frame.value, index);
    }
    const key = keys[position - indices.length]!;
    if (position > indices.length) this.#text += ",";
    else this.#text += indices.length === 0 ? '],"props":{' : ']],"props":{';
    this.#text += `${quote(key)}:`;
    return this.#reader.get(frame.value, key);
  }

  #nextOfError(frame: Frame<V>, position: number): V {
    const key = frame.keys[position]!;
    const progress = frame.error!;
    progress.text = this.#text;
    progress.met = this.#met.frames.length;
    progress.references = this.#references.length;
    progress.propsWrittenBefore = progress.propsWritten;
    if (position < progress.parts) this.#text += `,"${key}":`;
    else {
      this.#text += progress.propsWritten === 0 ? `,"props":{${quote(key)}:` : `,${quote(key)}:`;
      progress.propsWritten++;
    }
    return this.#reader.get(frame.value, key);
  }

  #open(value: V): void {
    if (typeof value === "bigint" && isBigintTooLarge(value)) {
      throw new Refusal(unstorable("bigint", `${BIGINT_DIGITS_MAX}`));
    }
    const known = this.#met.find(value);
    if (known !== undefined) {
      this.#refer(known);
      return;
    }
    // Only error parts are refused and passed over; without this memory, errors inside refused parts of
    // errors would be walked 2^depth times.
    if (this.#refused?.has(value) === true && this.#innermostError() !== undefined) {
      throw new Refusal(unstorable("class"));
    }
    const kind = this.#reader.kindOf(value);
    if (typeof kind !== "string") throw new Refusal(kind);
    const frame = new Frame(value, kind, this.#top, this.#text.length);
    this.#met.add(frame);
    this.#begin(frame);
  }

  #refer(target: Frame<V>): void {
    // An object is made from its codec's payload, which is complete before; so a payload cannot hold what
    // is still being written around it. Frames met before an open codec and still open are around it.
    const codec = this.#innermostCodec;
    if (target.end === -1 && codec !== undefined && target.start <= codec.start) {
      throw new Refusal(unstorable("codec-cycle", codec.codec!.name));
    }
    this.#references.push({ position: this.#text.length, target });
  }

  #begin(frame: Frame<V>): void {
    const reader = this.#reader;
    const { value } = frame;
    switch (frame.kind) {
      case "object": {
        frame.keys = reader.keys(value);
        const escaped = frame.keys.some(looksLikeTag);
        return this.#enter(frame, escaped ? '{"$object":{' : "{", frame.keys.length, escaped ? "}}" : "}");
      }
      case "array":
        return this.#enter(frame, "[", reader.length(value), "]");
      case "sparse":
        frame.indices = reader.indices(value);
        frame.keys = reader.keys(value);
        return this.#enter(
          frame,
          `{"$array":{"length":${reader.length(value)},"items":[`,
          frame.indices.length + frame.keys.length,
          frame.keys.length > 0 ? "}}}" : frame.indices.length > 0 ? "]]}}" : "]}}",
        );
      case "map":
        frame.items = reader.entries(value);
        return this.#enter(frame, '{"$map":[', frame.items.length, frame.items.length === 0 ? "]}" : "]]}");
      case "set":
        frame.items = reader.members(value);
        return this.#enter(frame, '{"$set":[', frame.items.length, "]}");
      case "error":
        return this.#beginError(frame);
      case "codec":
        return this.#beginCodec(frame);
      default:
        this.#text += leafText(value, frame.kind, reader);
        frame.end = this.#text.length;
    }
  }

  #beginError(frame: Frame<V>): void {
    const parts = this.#reader.error(frame.value);
    const own: string[] = [];
    if (parts.hasCause) own.push("cause");
    if (parts.hasErrors) own.push("errors");
    frame.keys = [...own, ...parts.keys];
    frame.error = {
      parts: own.length,
      propsWritten: 0,
      text: "",
      met: 0,
      references: 0,
      propsWrittenBefore: 0,
    };
    const names = parts.names.map(quote).join(",");
    const message = parts.message === undefined ? "" : `,"message":${quote(parts.message)}`;
    this.#enter(frame, `{"$error":{"names":[${names}]${message}`, frame.keys.length, "}}");
  }

  #beginCodec(frame: Frame<V>): void {
    const { name, payload } = this.#reader.codec(frame.value);
    frame.items = [payload];
    frame.codec = { name, outer: this.#innermostCodec };
    this.#innermostCodec = frame;
    this.#enter(frame, `{"$codec":[${quote(name)},`, 1, "]}");
  }

  #enter(frame: Frame<V>, head: string, count: number, tail: string): void {
    this.#text += head;
    frame.count = count;
    frame.tail = tail;
    this.#top = frame;
  }

  #close(frame: Frame<V>): void {
    if (frame.error !== undefined && frame.error.propsWritten > 0) this.#text += "}";
    this.#text += frame.tail;
    frame.end = this.#text.length;
    this.#leave(frame);
  }

  #leave(frame: Frame<V>): void {
    if (frame.codec !== undefined) this.#innermostCodec = frame.codec.outer;
    this.#top = frame.parent;
  }

  #culpritOf(thrown: unknown): Unstorable {
    const culprit = thrown instanceof Refusal ? thrown.culprit : this.#reader.explain(thrown);
    if (culprit === undefined) throw thrown;
    return culprit;
  }

  /** Leaves out the part of the innermost open error that holds the culprit; without one, gives up. */
  #recover(culprit: Unstorable): void {
    const error = culprit.reason === "too-large" ? undefined : this.#innermostError();
    if (error === undefined) {
      const segments = [...segmentsTo(this.#top), culprit.at].filter((segment) => segment !== "");
      throw new NotStorable(formatPath(this.#root, segments), culprit);
    }
    this.#refused ??= new Set();
    while (this.#top !== error) {
      this.#refused.add(this.#top!.value);
      this.#leave(this.#top!);
    }
    const progress = error.error!;
    this.#text = progress.text;
    this.#met.forgetFrom(progress.met);
    this.#references.length = progress.references;
    progress.propsWritten = progress.propsWrittenBefore;
  }

  #innermostError(): Frame<V> | undefined {
    let frame = this.#top;
    while (frame !== undefined && frame.error === undefined) frame = frame.parent;
    return frame;
  }
}

/** Thrown to leave the walk from wherever it is; `recover` decides what becomes of it. */
class Refusal {
  readonly culprit: Unstorable;

  constructor(culprit: Unstorable) {
    this.culprit = culprit;
  }
}

function looksLikeTag(key: string): boolean {
  return key.charCodeAt(0) === 0x24;
}
