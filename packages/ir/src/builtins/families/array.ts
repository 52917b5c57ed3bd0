/** `toLocaleString` consults the locale. `Array.fromAsync` and the `group…` methods came after Node 20. */
export const arrayList = `
Array(...items: any) -> array | new   length=1
Array.isArray(value: any) -> boolean
Array.of(...items: any) -> array
Array.from(items: any, mapper?: fn(item, index), thisArg?: any) -> array   prelude
Array.prototype.length = integer
Array.prototype.at(index: integer) -> any
Array.prototype.concat(...items: any) -> array   length=1
Array.prototype.copyWithin(target: integer, start: integer, end?: integer) -> array
Array.prototype.entries() -> iterator
Array.prototype.every(callback: fn(item, index, array), thisArg?: any) -> boolean   prelude
Array.prototype.fill(value: any, start?: integer, end?: integer) -> array
Array.prototype.filter(callback: fn(item, index, array), thisArg?: any) -> array   prelude
Array.prototype.find(callback: fn(item, index, array), thisArg?: any) -> any   prelude
Array.prototype.findIndex(callback: fn(item, index, array), thisArg?: any) -> integer   prelude
Array.prototype.findLast(callback: fn(item, index, array), thisArg?: any) -> any   prelude
Array.prototype.findLastIndex(callback: fn(item, index, array), thisArg?: any) -> integer   prelude
Array.prototype.flat(depth?: integer) -> array
Array.prototype.flatMap(callback: fn(item, index, array), thisArg?: any) -> array   prelude
Array.prototype.forEach(callback: fn(item, index, array), thisArg?: any)   prelude
Array.prototype.includes(item: any, fromIndex?: integer) -> boolean
Array.prototype.indexOf(item: any, fromIndex?: integer) -> integer
Array.prototype.join(separator: string) -> string   prelude
Array.prototype.keys() -> iterator
Array.prototype.lastIndexOf(item: any, fromIndex?: integer) -> integer
Array.prototype.map(callback: fn(item, index, array), thisArg?: any) -> array   prelude
Array.prototype.pop() -> any
Array.prototype.push(...items: any) -> integer   length=1
Array.prototype.reduce(callback: fn(total, item, index, array), initial?: any) -> any   prelude
Array.prototype.reduceRight(callback: fn(total, item, index, array), initial?: any) -> any   prelude
Array.prototype.reverse() -> array
Array.prototype.shift() -> any
Array.prototype.slice(start: integer, end: integer) -> array
Array.prototype.some(callback: fn(item, index, array), thisArg?: any) -> boolean   prelude
Array.prototype.sort(comparator: fn(a, b)) -> array   prelude
Array.prototype.splice(start: integer, deleteCount: integer, ...items: any) -> array
Array.prototype.toReversed() -> array
Array.prototype.toSorted(comparator: fn(a, b)) -> array   prelude
Array.prototype.toSpliced(start: integer, skipCount: integer, ...items: any) -> array
Array.prototype.toString() -> string   prelude
Array.prototype.unshift(...items: any) -> integer   length=1
Array.prototype.values() -> iterator
Array.prototype.with(index: integer, value: any) -> array
Array Iterator.prototype.next() -> object
`;
