/** Segments shown of a path at most: a list of 100,000 nodes has a path of as many. */
const SEGMENTS_MAX = 32;
const KEY_LENGTH_MAX = 80;

/** `order.items[3].stream`. */
export function formatPath(root: string, segments: readonly string[]): string {
  const shown =
    segments.length <= SEGMENTS_MAX
      ? segments
      : [...segments.slice(0, SEGMENTS_MAX / 2), "…", ...segments.slice(-SEGMENTS_MAX / 2)];
  const path = root + shown.join("");
  return root === "" && path.startsWith(".") ? path.slice(1) : path;
}

export function keySegment(key: string): string {
  // ASCII only: which other letters may stand in an identifier depends on the host's Unicode version.
  return /^[A-Za-z$_][\w$]*$/.test(key) && key.length <= KEY_LENGTH_MAX ? `.${key}` : `[${quoted(key)}]`;
}

export function indexSegment(index: number): string {
  return `[${index}]`;
}

/** The place of a map's content, as one would write it if iterators had indices: `position` counts keys and values alternately. */
export function mapSegment(position: number, key: unknown): string {
  const entry = position >> 1;
  if (position % 2 === 0) return `.keys()[${entry}]`;
  if (key === null) return ".get(null)";
  switch (typeof key) {
    case "string":
      return `.get(${quoted(key)})`;
    case "number":
    case "boolean":
    case "undefined":
      return `.get(${key})`;
    default:
      return `.values()[${entry}]`;
  }
}

export function setSegment(position: number): string {
  return `.values()[${position}]`;
}

export function codecSegment(name: string): string {
  return `<codec ${quoted(name)}>`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length <= KEY_LENGTH_MAX ? text : `${text.slice(0, KEY_LENGTH_MAX)}…`);
}
