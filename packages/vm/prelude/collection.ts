/** The iterators follow the collection while the callback changes it. */

export function Map_prototype_forEach(this: unknown, callback: unknown, thisArg: unknown): void {
  for (const key of $.mapKeys(this, callback)) $.call(callback, thisArg, $.mapValue(this, key), key, this);
}

export function Set_prototype_forEach(this: unknown, callback: unknown, thisArg: unknown): void {
  for (const value of $.setValues(this, callback)) $.call(callback, thisArg, value, value, this);
}
