/** Left out: localeCompare and toLocale…Case (the locale), `new String` (boxed primitives). */
export const textList = `
String(value?: string) -> string | new   length=1 new-refused
String.fromCharCode(...codes: number) -> string   length=1
String.fromCodePoint(...codes: number) -> string   length=1
String.raw(strings: object, ...substitutions: any) -> string   prelude
String.prototype.length = integer
String.prototype.anchor(name: string) -> string
String.prototype.at(index: integer) -> string
String.prototype.big() -> string
String.prototype.blink() -> string
String.prototype.bold() -> string
String.prototype.charAt(index: integer) -> string
String.prototype.charCodeAt(index: integer) -> number
String.prototype.codePointAt(index: integer) -> number
String.prototype.concat(...parts: string) -> string   length=1
String.prototype.endsWith(search: any, end?: integer) -> boolean   prelude
String.prototype.fixed() -> string
String.prototype.fontcolor(color: string) -> string
String.prototype.fontsize(size: string) -> string
String.prototype.includes(search: any, position?: integer) -> boolean   prelude
String.prototype.indexOf(search: string, position?: integer) -> integer
String.prototype.isWellFormed() -> boolean
String.prototype.italics() -> string
String.prototype.lastIndexOf(search: string, position?: number) -> integer
String.prototype.link(url: string) -> string
String.prototype.match(pattern: any) -> any   prelude
String.prototype.matchAll(pattern: any) -> iterator   prelude
String.prototype.normalize(form?: string) -> string
String.prototype.padEnd(length: integer, filler?: string) -> string
String.prototype.padStart(length: integer, filler?: string) -> string
String.prototype.repeat(count: integer) -> string
String.prototype.replace(pattern: any, replacement: any) -> string   prelude
String.prototype.replaceAll(pattern: any, replacement: any) -> string   prelude
String.prototype.search(pattern: any) -> integer   prelude
String.prototype.slice(start: integer, end: integer) -> string
String.prototype.small() -> string
String.prototype.split(separator: any, limit: integer) -> array   prelude
String.prototype.startsWith(search: any, position?: integer) -> boolean   prelude
String.prototype.strike() -> string
String.prototype.sub() -> string
String.prototype.substr(start: integer, length: integer) -> string
String.prototype.substring(start: integer, end: integer) -> string
String.prototype.sup() -> string
String.prototype.toLowerCase() -> string
String.prototype.toString() -> string
String.prototype.toUpperCase() -> string
String.prototype.toWellFormed() -> string
String.prototype.trim() -> string
String.prototype.trimEnd() -> string
String.prototype.trimStart() -> string
String.prototype.trimLeft = String.prototype.trimStart()
String.prototype.trimRight = String.prototype.trimEnd()
String.prototype.valueOf() -> string
String Iterator.prototype.next() -> object

RegExp(pattern: any, flags: any) -> regexp | new   prelude
RegExp.prototype.dotAll -> boolean
RegExp.prototype.exec(text: string) -> any   prelude
RegExp.prototype.flags -> string
RegExp.prototype.global -> boolean
RegExp.prototype.hasIndices -> boolean
RegExp.prototype.ignoreCase -> boolean
RegExp.prototype.multiline -> boolean
RegExp.prototype.source -> string
RegExp.prototype.sticky -> boolean
RegExp.prototype.test(text: string) -> boolean   prelude
RegExp.prototype.toString() -> string   prelude
RegExp.prototype.unicode -> boolean
RegExp.prototype.unicodeSets -> boolean
RegExp String Iterator.prototype.next() -> object

encodeURI(text: string) -> string
encodeURIComponent(text: string) -> string
decodeURI(text: string) -> string
decodeURIComponent(text: string) -> string
atob(text: string) -> string
btoa(text: string) -> string
`;
