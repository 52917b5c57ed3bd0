/**
 * The names of an object's properties and where their values stand. Objects made alike share a shape, so that the
 * interpreter can remember, per instruction, where a name was found last time (`CodeUnit.cachedShapes`).
 *
 * Shapes form a tree: a name added to a shape leads to one other shape. They are a cache and nothing more: no
 * behaviour depends on them, and they are bounded. An object with a name that looks like an array index, with many
 * names, or with one removed keeps its properties in a bag instead.
 */
export class Shape {
  readonly keys: readonly string[];
  /** Of all names together. */
  readonly keysLength: number;
  private readonly positions: ReadonlyMap<string, number>;
  private readonly next = new Map<string, Shape>();

  constructor(keys: readonly string[]) {
    this.keys = keys;
    this.keysLength = lengthOf(keys);
    this.positions = new Map(keys.map((key, position) => [key, position]));
  }

  /** Where the value of a name stands, or -1. */
  find(key: string): number {
    return this.positions.get(key) ?? -1;
  }

  /** The shape with one more name, or null when a bag must take over. */
  with(key: string): Shape | null {
    const known = this.next.get(key);
    if (known !== undefined) return known;
    if (this.keys.length >= KEYS_MAX || this.next.size >= BRANCHES_MAX || looksLikeIndex(key)) return null;
    const made = new Shape([...this.keys, key]);
    this.next.set(key, made);
    return made;
  }
}

/** Beyond these an object's names are data rather than structure. */
const KEYS_MAX = 24;
const BRANCHES_MAX = 64;

function looksLikeIndex(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57;
}

export function lengthOf(keys: readonly string[]): number {
  let length = 0;
  for (const key of keys) length += key.length;
  return length;
}

export const EMPTY_SHAPE = new Shape([]);

/** The shape with these names in this order, or null when a bag must hold them. */
export function shapeOf(keys: readonly string[]): Shape | null {
  let shape: Shape | null = EMPTY_SHAPE;
  for (const key of keys) shape = shape?.with(key) ?? null;
  return shape;
}
