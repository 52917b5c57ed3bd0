import { codecSegment, indexSegment, keySegment, mapSegment, setSegment } from "./path.ts";
import type { ValueKind } from "./reader.ts";

const NONE: readonly never[] = [];

/** One object that the encoder has met: its place in the text and, while it is open, what is still to write. */
export class Frame<V> {
  readonly value: V;
  readonly kind: ValueKind;
  readonly parent: Frame<V> | undefined;
  /** Where the object's text begins, and where it ends once it is closed. */
  readonly start: number;
  end = -1;

  /** Children begun and children in all. */
  index = 0;
  count = 0;
  /** What closes the text. */
  tail = "";

  /** object, sparse and error: keys; for an error `cause` and `errors` first, if it has them. */
  keys: readonly string[] = NONE;
  /** sparse */
  indices: readonly number[] = NONE;
  /** map, set: content; codec: the payload alone. */
  items: readonly V[] = NONE;

  error: ErrorProgress | undefined = undefined;
  codec: CodecProgress<V> | undefined = undefined;

  constructor(value: V, kind: ValueKind, parent: Frame<V> | undefined, start: number) {
    this.value = value;
    this.kind = kind;
    this.parent = parent;
    this.start = start;
  }
}

/** Where to return to when the part of an error being written turns out not to be storable. */
export interface ErrorProgress {
  /** How many of the frame's keys are parts of their own rather than properties. */
  readonly parts: number;
  propsWritten: number;
  text: string;
  met: number;
  references: number;
  propsWrittenBefore: number;
}

export interface CodecProgress<V> {
  readonly name: string;
  readonly outer: Frame<V> | undefined;
}

/** The way from the root to the child begun last; to the container itself if none was. */
export function segmentsTo<V>(frame: Frame<V> | undefined): string[] {
  const segments: string[] = [];
  for (let at = frame; at !== undefined; at = at.parent) if (at.index > 0) segments.push(segmentOf(at));
  return segments.reverse();
}

function segmentOf<V>(frame: Frame<V>): string {
  const position = frame.index - 1;
  switch (frame.kind) {
    case "object":
    case "error":
      return keySegment(frame.keys[position]!);
    case "array":
      return indexSegment(position);
    case "sparse":
      return position < frame.indices.length
        ? indexSegment(frame.indices[position]!)
        : keySegment(frame.keys[position - frame.indices.length]!);
    case "map":
      return mapSegment(position, frame.items[position - 1]);
    case "set":
      return setSegment(position);
    case "codec":
      return codecSegment(frame.codec!.name);
    default:
      return "";
  }
}
