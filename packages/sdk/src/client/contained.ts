import { encodeCopy } from "../copy.ts";
import { CLOSED } from "../sealed.ts";

/** What a control plane takes. */
const DEPTH_MAX = 50;

/**
 * What a payload is to contain, as JSON: written as inputs are. Objects and lists are written each time that they are met: in an input, one that
 * is met twice is written once, and its number there depends on all else in it.
 */
export function containedText(value: unknown, path = "contains", depth = 0): string {
  if (value === undefined) throw new TypeError(`${path} is undefined: leave it out if any value will do`);
  if (typeof value !== "object" || value === null) return encodeCopy(value, path).text;
  if (CLOSED.matches(value)) throw new TypeError(`${path} is sealed: what is sealed cannot be looked for`);
  if (depth === DEPTH_MAX) throw new TypeError(`contains has at most ${DEPTH_MAX} levels`);
  if (Array.isArray(value)) {
    const items = Array.from(value, (item: unknown, index) => containedText(item, `${path}[${index}]`, depth + 1));
    return `[${items.join(",")}]`;
  }
  if (!isPlain(value)) return encodeCopy(value, path).text;
  const names = Object.keys(value);
  const parts = names.map((name) => {
    const part = (value as Record<string, unknown>)[name];
    return `${JSON.stringify(name)}:${containedText(part, `${path}.${name}`, depth + 1)}`;
  });
  const text = `{${parts.join(",")}}`;
  return names.some((name) => name.startsWith("$")) ? `{"$object":${text}}` : text;
}

/** Neither a list, nor an instance of a class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
