import { enumerableOwnKeys, getOwn } from "../heap/properties.ts";
import { ENUMERABLE, Kind, VObject, type Value } from "../heap/value.ts";

/** The state of a `for…in`: keys as they were at its start; those deleted since are passed over. */
export class VKeyCursor extends VObject {
  readonly kind = Kind.KeyCursor;
  readonly target: Value;
  readonly names: readonly string[];
  next = 0;

  constructor(target: Value, keys: readonly string[]) {
    super(null);
    this.target = target;
    this.names = keys;
  }
}

export function keyCursor(target: Value): VKeyCursor {
  if (target instanceof VObject) return new VKeyCursor(target, enumerableOwnKeys(target));
  return new VKeyCursor(target, typeof target === "string" ? Object.keys(target) : []);
}

export function nextKey(cursor: VKeyCursor): string | undefined {
  while (cursor.next < cursor.names.length) {
    const key = cursor.names[cursor.next++]!;
    if (!(cursor.target instanceof VObject)) return key;
    const own = getOwn(cursor.target, key);
    if (own !== undefined && (own.attributes & ENUMERABLE) !== 0) return key;
  }
  return undefined;
}
