import { codecSegment, indexSegment, keySegment, mapSegment, setSegment } from "./path.ts";

/** One container that the decoder is filling. */
export class Frame<V> {
  readonly kind: FrameKind;
  readonly parent: Frame<V> | undefined;
  readonly depth: number;
  /** Children to read: their JSON, and for kinds with keys the key of each. */
  readonly nodes: readonly unknown[];
  readonly keys: readonly (string | number)[];
  /** The container; for a codec undefined until its payload is there. */
  value: V | undefined;
  /** Children begun. */
  index = 0;
  /** map: the key that waits for its value. */
  key: V | undefined = undefined;
  /** The number of the `$def` around it. */
  definition = -1;
  codec: CodecProgress | undefined = undefined;

  constructor(
    kind: FrameKind,
    parent: Frame<V> | undefined,
    nodes: readonly unknown[],
    keys: readonly (string | number)[],
    value: V | undefined,
  ) {
    this.kind = kind;
    this.parent = parent;
    this.depth = parent === undefined ? 1 : parent.depth + 1;
    this.nodes = nodes;
    this.keys = keys;
    this.value = value;
  }
}

/** `sparse` has numbers for its elements among its keys; `error` has `CAUSE` and `ERRORS` among them. */
export type FrameKind = "object" | "array" | "sparse" | "map" | "set" | "error" | "codec";

/** Parts of an error stand among its properties under numbers, which no property has as key. */
export const CAUSE = 0;
export const ERRORS = 1;

export interface CodecProgress {
  readonly name: string;
  /** `Definitions.firstInsideCodec` to go back to. */
  readonly outerFirstInside: number;
}

/** The way from the root to the child begun last. */
export function segmentsTo<V>(frame: Frame<V> | undefined): string[] {
  const segments: string[] = [];
  for (let at = frame; at !== undefined; at = at.parent) segments.push(segmentOf(at));
  return segments.reverse();
}

function segmentOf<V>(frame: Frame<V>): string {
  const position = frame.index - 1;
  switch (frame.kind) {
    case "array":
      return indexSegment(position);
    case "map":
      return mapSegment(position, frame.key);
    case "set":
      return setSegment(position);
    case "codec":
      return codecSegment(frame.codec!.name);
    case "error": {
      const key = frame.keys[position]!;
      return typeof key === "string" ? keySegment(key) : key === CAUSE ? ".cause" : ".errors";
    }
    default: {
      const key = frame.keys[position]!;
      return typeof key === "string" ? keySegment(key) : indexSegment(key);
    }
  }
}
