/** Left out: `buffer` and everything of ArrayBuffer; toLocaleString. Set algebra and `groupBy` came after Node 20. */
export const collectionList = `
new Map(entries?: iterable) -> map
Map.prototype.clear()
Map.prototype.delete(key: any) -> boolean
Map.prototype.entries() -> iterator
Map.prototype.forEach(callback: fn(value, key, map), thisArg?: any)   prelude
Map.prototype.get(key: any) -> any
Map.prototype.has(key: any) -> boolean
Map.prototype.keys() -> iterator
Map.prototype.set(key: any, value: any) -> map
Map.prototype.size -> integer
Map.prototype.values() -> iterator
Map Iterator.prototype.next() -> object

new Set(values?: iterable) -> set
Set.prototype.add(value: any) -> set
Set.prototype.clear()
Set.prototype.delete(value: any) -> boolean
Set.prototype.entries() -> iterator
Set.prototype.forEach(callback: fn(value, key, set), thisArg?: any)   prelude
Set.prototype.has(value: any) -> boolean
Set.prototype.keys = Set.prototype.values()
Set.prototype.size -> integer
Set.prototype.values() -> iterator
Set Iterator.prototype.next() -> object

TypedArray() -> bytes | new
TypedArray.from(items: any, mapper?: fn(item, index), thisArg?: any) -> bytes   prelude
TypedArray.of(...items: number) -> bytes
TypedArray.prototype.at(index: integer) -> any
TypedArray.prototype.byteLength -> integer
TypedArray.prototype.byteOffset -> integer
TypedArray.prototype.copyWithin(target: integer, start: integer, end?: integer) -> bytes
TypedArray.prototype.entries() -> iterator
TypedArray.prototype.every(callback: fn(item, index, bytes), thisArg?: any) -> boolean   prelude
TypedArray.prototype.fill(value: number, start?: integer, end?: integer) -> bytes
TypedArray.prototype.filter(callback: fn(item, index, bytes), thisArg?: any) -> bytes   prelude
TypedArray.prototype.find(callback: fn(item, index, bytes), thisArg?: any) -> any   prelude
TypedArray.prototype.findIndex(callback: fn(item, index, bytes), thisArg?: any) -> integer   prelude
TypedArray.prototype.findLast(callback: fn(item, index, bytes), thisArg?: any) -> any   prelude
TypedArray.prototype.findLastIndex(callback: fn(item, index, bytes), thisArg?: any) -> integer   prelude
TypedArray.prototype.forEach(callback: fn(item, index, bytes), thisArg?: any)   prelude
TypedArray.prototype.includes(item: any, fromIndex?: integer) -> boolean
TypedArray.prototype.indexOf(item: any, fromIndex?: integer) -> integer
TypedArray.prototype.join(separator: string) -> string
TypedArray.prototype.keys() -> iterator
TypedArray.prototype.lastIndexOf(item: any, fromIndex?: integer) -> integer
TypedArray.prototype.length -> integer
TypedArray.prototype.map(callback: fn(item, index, bytes), thisArg?: any) -> bytes   prelude
TypedArray.prototype.reduce(callback: fn(total, item, index, bytes), initial?: any) -> any   prelude
TypedArray.prototype.reduceRight(callback: fn(total, item, index, bytes), initial?: any) -> any   prelude
TypedArray.prototype.reverse() -> bytes
TypedArray.prototype.set(source: any, offset?: integer)
TypedArray.prototype.slice(start: integer, end: integer) -> bytes
TypedArray.prototype.some(callback: fn(item, index, bytes), thisArg?: any) -> boolean   prelude
TypedArray.prototype.sort(comparator: fn(a, b)) -> bytes   prelude
TypedArray.prototype.subarray(start: integer, end: integer) -> bytes
TypedArray.prototype.toReversed() -> bytes
TypedArray.prototype.toSorted(comparator: fn(a, b)) -> bytes   prelude
TypedArray.prototype.toString = Array.prototype.toString()   prelude
TypedArray.prototype.values() -> iterator
TypedArray.prototype.with(index: integer, value: number) -> bytes
new Uint8Array(source: any, byteOffset: any, length: any) -> bytes   prelude extends=TypedArray
Uint8Array.BYTES_PER_ELEMENT = integer
Uint8Array.prototype.BYTES_PER_ELEMENT = integer
`;
