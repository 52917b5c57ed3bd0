import type { Builtin } from "@cairnjs/ir";

/**
 * How each built-in of the list is used on values of size `n`, with what `cost.ts` has in scope: what stands there `before`, and the `call`. The tests
 * of delta marks and of fuel run them all, and fail for an entry of the list that has no use here.
 */
export interface Use {
  readonly before: string;
  readonly call: string;
  /** Why the fuel does not grow with `n`. */
  readonly constant?: string;
  /** The part of the call that is not the built-in's own work: a spread of arguments costs fuel by itself. */
  readonly besides?: string;
}

const grows = (before: string, call: string, besides = ""): Use => ({ before, call, besides });
const constant = (reason: string, before: string, call: string): Use => ({ before, call, constant: reason });

/** Takes its arguments one by one, and does something to each. */
const spread = (callee: string, items = "list(n)", before = ""): Use =>
  grows(`${before} const items: any = ${items};`, `${callee}(...items)`, "Object.is(...items)");

const NUMBER = "a number has 64 bits";
const ONE_FIELD = "it reads or writes one field";
const ONE_STEP = "it makes an iterator, or takes one step of it";
const ONE_ENTRY = "it is one look into a table";
const ONE_OBJECT = "it makes one object";
const ONE_JOB = "it makes one promise, or one reaction";
const BOUNDED = "what it reads has a fixed length";

/** Every use of the built-in; none when this file does not know it. */
export function usesOf(builtin: Builtin): readonly Use[] {
  const { path } = builtin;
  const own = USES[path];
  if (own !== undefined) return Array.isArray(own) ? own : [own as Use];
  return familyUses(builtin);
}

/** Families whose members differ in nothing that matters here. */
function familyUses({ path, kind, settable, sameAs }: Builtin): readonly Use[] {
  const member = path.slice(path.lastIndexOf(".") + 1);
  if (sameAs !== "") {
    const [use] = [USES[sameAs] ?? []].flat();
    if (use !== undefined) return [{ ...use, call: use.call.replace(`.${nameOf(sameAs)}(`, `.${member}(`) }];
  }
  if (/^Math\.\w+$/.test(path)) return [constant(NUMBER, "", `Math.${member}(n / 7, 2)`)];
  if (/^Number\.is\w+$|^is(NaN|Finite)$/.test(path) && !path.startsWith("is"))
    return [constant(NUMBER, "", `${path}(n)`)];
  if (/^Number\.prototype\.\w+$/.test(path)) return [constant(NUMBER, "", `(n / 7).${member}(10)`)];
  if (/^Boolean\.prototype\.\w+$/.test(path)) return [constant(ONE_FIELD, "", `true.${member}()`)];
  if (/^Date\.prototype\.(get|to|valueOf)/.test(path))
    return [constant(NUMBER, "const d: any = new Date(n);", `d.${member}()`)];
  if (path.startsWith("Date.prototype.set")) return [constant(NUMBER, "const d: any = new Date(n);", `d.${member}(7)`)];
  if (path.startsWith("RegExp.prototype.") && kind === "getter")
    return [constant(ONE_FIELD, "const re: any = /a/gi;", `re.${member}`)];
  if (path.startsWith("URL.prototype.") && kind === "getter") {
    const reads = grows("const u = url(n);", `u.${member}`);
    if (!settable) return [reads];
    const value = URL_PARTS[member] ?? "'x'";
    return [reads, grows("const u = url(n);", `u.${member} = ${value}`)];
  }
  if (/^(TypedArray|Map|Set|URLSearchParams|TextEncoder|TextDecoder|DOMException)\./.test(path) && kind === "getter")
    return [constant(ONE_FIELD, `const self: any = ${GETTER_OWNERS[path.split(".")[0]!]!};`, `self.${member}`)];
  if (
    /^String\.prototype\.(anchor|big|blink|bold|fixed|fontcolor|fontsize|italics|link|small|strike|sub|sup)$/.test(path)
  )
    return [grows("const s = text(n);", `s.${member}(s)`)];
  if (kind === "constructor" && (path.endsWith("Error") || path.startsWith("cairn.")) && USES[path] === undefined)
    return [grows("const s = text(n);", `new ${path.replace("cairn.", "")}(s)`)];
  if (path.startsWith("console.")) return [grows("const a = list(n);", `${path}(a)`)];
  return [];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

const URL_PARTS: Readonly<Record<string, string>> = {
  href: "u.href + 'x'",
  port: "'81'",
  protocol: "'http'",
  search: "'?z=1'",
  host: "'other.example:8'",
  hostname: "'other.example'",
};

const GETTER_OWNERS: Readonly<Record<string, string>> = {
  TypedArray: "new Uint8Array(n)",
  Map: "new Map(pairs(n) as any)",
  Set: "new Set(list(n))",
  URLSearchParams: "new URLSearchParams(query(n))",
  TextEncoder: "new TextEncoder()",
  TextDecoder: "new TextDecoder()",
  DOMException: "(() => { try { return atob('*'); } catch (error) { return error; } })()",
};

const array = (call: string): Use => grows("const a = list(n), b = list(n);", call);
const bytes = (call: string): Use =>
  grows("const a: any = new Uint8Array(list(n)), b: any = new Uint8Array(n), view: any = a.subarray(1);", call);
const string = (call: string): Use => grows("const s = text(n), w = words(n);", call);
const map = (call: string): Use => grows("const m: any = new Map(pairs(n) as any);", call);
const set = (call: string): Use => grows("const s: any = new Set(list(n));", call);
const params = (call: string): Use =>
  grows("const p: any = new URLSearchParams(query(n)); const u: any = new URL('http://h/?' + query(n));", call);

const CALLBACKS = ["every", "find", "findIndex", "findLast", "findLastIndex", "forEach", "map", "some", "filter"];

const callbacks = (owner: string, use: (call: string) => Use): [string, Use][] =>
  CALLBACKS.map((name) => [
    `${owner}.${name}`,
    use(`a.${name}((item: any) => ${name === "every" ? "item >= 0" : "item < 0"})`),
  ]);

const arrayLike = "const like: any = { length: 3, 0: 'c', 1: 'a', 2: 'b' };";
const onLike = (call: string): Use => constant("for the marks alone", arrayLike, call);

const USES: Readonly<Record<string, Use | readonly Use[]>> = {
  Array: [spread("Array"), grows("const items: any = list(n);", "new Array(...items)"), grows("", "new Array(n)")],
  "Array.isArray": constant(ONE_FIELD, "const a = list(n);", "Array.isArray(a)"),
  "Array.of": spread("Array.of"),
  "Array.from": [array("Array.from(a)"), array("Array.from(a, (item) => item + 1)")],
  "Array.prototype.at": constant(ONE_ENTRY, "const a = list(n);", "a.at(-1)"),
  "Array.prototype.concat": array("a.concat(b)"),
  "Array.prototype.copyWithin": [
    array("a.copyWithin(0, 1)"),
    onLike("Array.prototype.copyWithin.call(like, 0, 1)"),
    onLike("Array.prototype.copyWithin.call({ length: 3, 2: 1 }, 1, 0)"),
  ],
  "Array.prototype.entries": constant(ONE_STEP, "const a = list(n);", "a.entries()"),
  "Array.prototype.fill": [
    array("a.fill(7)"),
    constant("for the marks alone", "const a: any[] = []; a.length = 3;", "a.fill(7)"),
    onLike("Array.prototype.fill.call(like, 7)"),
  ],
  ...Object.fromEntries(callbacks("Array.prototype", array)),
  "Array.prototype.flat": [array("a.flat()"), array("[a, [b]].flat(2)")],
  "Array.prototype.flatMap": array("a.flatMap((item) => [item])"),
  "Array.prototype.includes": [
    array("a.includes(-1)"),
    grows("const like: any = { length: n };", "Array.prototype.includes.call(like, 1)"),
    grows("const a = [text(n) + 'a'], s = text(n) + 'b';", "a.includes(s)"),
  ],
  "Array.prototype.indexOf": [
    array("a.indexOf(-1)"),
    grows("const like: any = { length: n };", "Array.prototype.indexOf.call(like, 1)"),
    grows("const a = [text(n) + 'a'], s = text(n) + 'b';", "a.indexOf(s)"),
  ],
  "Array.prototype.join": array("a.join()"),
  "Array.prototype.keys": constant(ONE_STEP, "const a = list(n);", "a.keys()"),
  "Array.prototype.lastIndexOf": [
    array("a.lastIndexOf(-1)"),
    grows("const a = [text(n) + 'a'], s = text(n) + 'b';", "a.lastIndexOf(s)"),
  ],
  "Array.prototype.pop": [
    constant(ONE_ENTRY, "const a = list(n);", "a.pop()"),
    onLike("Array.prototype.pop.call(like)"),
  ],
  "Array.prototype.push": [
    grows("const a: any = list(n), items: any = list(n);", "a.push(...items)", "Object.is(...items)"),
    onLike("Array.prototype.push.call(like, 1, 2)"),
  ],
  "Array.prototype.reduce": array("a.reduce((total: any, item: any) => total + item)"),
  "Array.prototype.reduceRight": array("a.reduceRight((total: any, item: any) => total + item)"),
  "Array.prototype.reverse": [
    array("a.reverse()"),
    onLike("Array.prototype.reverse.call(like)"),
    onLike("Array.prototype.reverse.call({ length: 3, 0: 1 })"),
  ],
  "Array.prototype.shift": [array("a.shift()"), onLike("Array.prototype.shift.call(like)")],
  "Array.prototype.slice": array("a.slice(1)"),
  "Array.prototype.sort": [
    array("a.sort()"),
    array("a.sort((x: any, y: any) => y - x)"),
    onLike("Array.prototype.sort.call(like)"),
    onLike("Array.prototype.sort.call(like, (x: any, y: any) => (x < y ? 1 : -1))"),
    grows("const a: any[] = list(n).map(String).reverse();", "a.sort()"),
    grows("const a: any[] = [text(n) + 'b', text(n) + 'a'];", "a.sort()"),
    grows("const a: any[] = [...list(n), undefined, , 1]; a.reverse();", "a.sort((x: any, y: any) => x - y)"),
    grows("const a: any[] = list(n).map((i) => ({ toString: () => String(i) }));", "a.sort()"),
  ],
  "Array.prototype.splice": [
    array("a.splice(1, 1)"),
    array("a.splice(0, n)"),
    grows("const a: any = list(n), items: any = list(n);", "a.splice(0, 0, ...items)", "Object.is(0, 0, ...items)"),
    onLike("Array.prototype.splice.call(like, 0, 1)"),
    onLike("Array.prototype.splice.call(like, 1, 0, 'x', 'y')"),
  ],
  "Array.prototype.toReversed": array("a.toReversed()"),
  "Array.prototype.toSorted": [
    array("a.toSorted()"),
    grows("const a: any[] = [undefined, ...list(n), , 1];", "a.toSorted((x: any, y: any) => x - y)"),
    array("a.toSorted((x: any, y: any) => y - x)"),
  ],
  "Array.prototype.toSpliced": array("a.toSpliced(1, 1)"),
  "Array.prototype.toString": array("a.toString()"),
  "Array.prototype.unshift": [
    array("a.unshift(1)"),
    grows("const a: any = [], items: any = list(n);", "a.unshift(...items)", "Object.is(...items)"),
    onLike("Array.prototype.unshift.call(like, 'x')"),
  ],
  "Array.prototype.values": constant(ONE_STEP, "const a = list(n);", "a.values()"),
  "Array.prototype.with": array("a.with(0, 7)"),
  "Array Iterator.prototype.next": [
    constant(ONE_STEP, "const it: any = list(n).entries();", "it.next()"),
    constant(ONE_STEP, "const it: any = [].values();", "it.next()"),
    constant(ONE_STEP, "const it: any = new Uint8Array(n).values();", "it.next()"),
  ],

  Object: [constant(ONE_OBJECT, "const o = record(n);", "new Object(o)"), constant(ONE_OBJECT, "", "new Object()")],
  "Object.assign": [
    grows("const o = record(n), target: any = {};", "Object.assign(target, o)"),
    grows("const s = text(n), target: any = {};", "Object.assign(target, s)"),
    constant("for the marks alone", "const target: any = [1, 2, 3];", "Object.assign(target, { 1: 9, x: 1 }, 'ab')"),
    constant("for the marks alone", "const target: any = new Uint8Array(3);", "Object.assign(target, { 1: 9 })"),
  ],
  "Object.create": grows(
    "const o: any = {}; for (let i = 0; i < n; i++) o['k' + i] = { value: i };",
    "Object.create(null, o)",
  ),
  "Object.defineProperties": grows(
    "const o: any = {}, target: any = {}; for (let i = 0; i < n; i++) o['k' + i] = { value: i };",
    "Object.defineProperties(target, o)",
  ),
  "Object.defineProperty": [
    constant(ONE_ENTRY, "const o: any = { a: 1 };", "Object.defineProperty(o, 'a', { writable: false })"),
    constant(ONE_ENTRY, "const o: any = { a: 1 };", "Object.defineProperty(o, 'b', { value: 2 })"),
    constant(ONE_ENTRY, "const a: any = [1, 2, 3];", "Object.defineProperty(a, 'length', { writable: false })"),
    constant(ONE_ENTRY, "const a: any = [1, 2, 3];", "Object.defineProperty(a, 'length', { value: 1 })"),
    constant(ONE_ENTRY, "const a: any = [1, 2, 3];", "Object.defineProperty(a, 1, { value: 9 })"),
    constant(
      ONE_ENTRY,
      "const a: any = [1, 2, 3];",
      "Object.defineProperty(a, 3, { value: 9, writable: true, enumerable: true, configurable: true })",
    ),
    constant(ONE_ENTRY, "const a: any = new Uint8Array([1, 2, 3]);", "Object.defineProperty(a, 1, { value: 9 })"),
    constant(ONE_ENTRY, "const f: any = () => 1;", "Object.defineProperty(f, 'name', { value: 'g' })"),
  ],
  "Object.entries": grows("const o = record(n);", "Object.entries(o)"),
  "Object.freeze": [
    grows("const o = record(n);", "Object.freeze(o)"),
    constant("elements are frozen by one flag", "const a = list(n);", "Object.freeze(a)"),
  ],
  "Object.fromEntries": [
    grows("const a = pairs(n);", "Object.fromEntries(a as any)"),
    grows("const m = new Map(pairs(n) as any);", "Object.fromEntries(m as any)"),
    grows("const a: any = pairs(n).map(([key, value]) => ({ 0: key, 1: value }));", "Object.fromEntries(a)"),
    constant("for the marks alone", "const a: any = [[{ toString: () => 'k' }, 1]];", "Object.fromEntries(a)"),
  ],
  "Object.getOwnPropertyDescriptor": constant(
    ONE_ENTRY,
    "const o = record(n);",
    "Object.getOwnPropertyDescriptor(o, 'k0')",
  ),
  "Object.getOwnPropertyDescriptors": grows("const o = record(n);", "Object.getOwnPropertyDescriptors(o)"),
  "Object.getOwnPropertyNames": [
    grows("const o = record(n);", "Object.getOwnPropertyNames(o)"),
    constant("for the marks alone", "const f: any = (a: any) => a;", "Object.getOwnPropertyNames(f)"),
  ],
  "Object.getPrototypeOf": constant(ONE_FIELD, "const o = record(n);", "Object.getPrototypeOf(o) === Object.prototype"),
  "Object.hasOwn": [
    constant(ONE_ENTRY, "const o = record(n);", "Object.hasOwn(o, 'k0')"),
    grows("const o: any = {}, b: any = 3n ** BigInt(n);", "Object.hasOwn(o, b)"),
  ],
  "Object.is": grows("const s = text(n) + 'a', t = text(n) + 'a';", "Object.is(s, t)"),
  "Object.isExtensible": constant(ONE_FIELD, "const o = record(n);", "Object.isExtensible(o)"),
  "Object.isFrozen": grows("const o = record(n); Object.freeze(o);", "Object.isFrozen(o)"),
  "Object.isSealed": grows("const o = record(n); Object.seal(o);", "Object.isSealed(o)"),
  "Object.keys": [
    grows("const o = record(n);", "Object.keys(o)"),
    grows("const a = list(n);", "Object.keys(a)"),
    grows("const b = new Uint8Array(n);", "Object.keys(b)"),
    grows("const s = text(n);", "Object.keys(s)"),
  ],
  "Object.preventExtensions": constant(ONE_FIELD, "const o = record(n);", "Object.preventExtensions(o)"),
  "Object.seal": [
    grows("const o = record(n);", "Object.seal(o)"),
    constant("elements are sealed by one flag", "const a = list(n);", "Object.seal(a)"),
  ],
  "Object.values": grows("const o = record(n);", "Object.values(o)"),
  "Object.prototype.hasOwnProperty": constant(ONE_ENTRY, "const o = record(n);", "o.hasOwnProperty('k0')"),
  "Object.prototype.isPrototypeOf": constant(BOUNDED, "const o = record(n);", "Object.prototype.isPrototypeOf(o)"),
  "Object.prototype.propertyIsEnumerable": constant(ONE_ENTRY, "const o = record(n);", "o.propertyIsEnumerable('k0')"),
  "Object.prototype.toString": constant(BOUNDED, "const o = record(n);", "o.toString()"),
  "Object.prototype.valueOf": constant(ONE_FIELD, "const o = record(n);", "o.valueOf()"),
  Function: constant("it is refused", "", "Function.name"),
  "Function.prototype.apply": grows("const f: any = () => 1, a = list(n);", "f.apply(null, a)"),
  "Function.prototype.bind": spread("f.bind", "list(n)", "const f: any = () => 1;"),
  "Function.prototype.call": constant("its arguments are registers", "const f: any = () => 1;", "f.call(null, 1)"),
  structuredClone: [
    grows("const o = record(n);", "structuredClone(o)"),
    grows("const a = list(n);", "structuredClone(a)"),
    grows("const m = new Map(pairs(n) as any);", "structuredClone(m)"),
    grows("const s = new Set(list(n));", "structuredClone(s)"),
    grows("const b = new Uint8Array(n);", "structuredClone(b)"),
  ],

  String: constant("a text is what it is", "const s = text(n);", "String(s)"),
  "String.fromCharCode": spread("String.fromCharCode"),
  "String.fromCodePoint": spread("String.fromCodePoint"),
  "String.raw": grows("const strings: any = { raw: list(n) };", "String.raw(strings)"),
  "String.prototype.at": constant(ONE_ENTRY, "const s = text(n);", "s.at(-1)"),
  "String.prototype.charAt": constant(ONE_ENTRY, "const s = text(n);", "s.charAt(1)"),
  "String.prototype.charCodeAt": constant(ONE_ENTRY, "const s = text(n);", "s.charCodeAt(1)"),
  "String.prototype.codePointAt": constant(ONE_ENTRY, "const s = text(n);", "s.codePointAt(1)"),
  "String.prototype.concat": string("s.concat(w)"),
  "String.prototype.endsWith": string("s.endsWith(text(n))"),
  "String.prototype.includes": string("s.includes('y')"),
  "String.prototype.indexOf": [string("s.indexOf('y')"), string("w.indexOf('ab ab ac')")],
  "String.prototype.isWellFormed": string("s.isWellFormed()"),
  "String.prototype.lastIndexOf": string("s.lastIndexOf('y')"),
  "String.prototype.match": [
    string("w.match(/z/)"),
    string("w.match(/a/g)"),
    constant("for the charges alone", "", "'aba'.match(/a/g)"),
    string("w.match('z')"),
  ],
  "String.prototype.matchAll": [
    string("[...w.matchAll(/a/g)]"),
    constant("for the marks alone", "const re: any = /a/g;", "'aba'.matchAll(re).next()"),
  ],
  "String.prototype.normalize": [string("s.normalize('NFD')"), string("'é'.repeat(n).normalize('NFD')")],
  "String.prototype.padEnd": grows("", "'x'.padEnd(n)"),
  "String.prototype.padStart": grows("", "'x'.padStart(n)"),
  "String.prototype.repeat": grows("", "'x'.repeat(n)"),
  "String.prototype.replace": [
    string("w.replace(/a/g, 'c')"),
    string("w.replace(/a/g, () => 'c')"),
    string("w.replace('z', 'c')"),
    constant("for the marks alone", "const re: any = /a/y;", "'aba'.replace(re, 'c')"),
  ],
  "String.prototype.replaceAll": [string("w.replaceAll('a', 'c')"), string("w.replaceAll('a', () => 'c')")],
  "String.prototype.search": string("w.search(/z/)"),
  "String.prototype.slice": string("s.slice(1)"),
  "String.prototype.split": [
    string("w.split(' ')"),
    string("w.split('')"),
    // Below 4,096 characters the parts are not counted, and as many are paid for as there could be.
    grows("const w = words(n * 4);", "w.split('z')"),
    string("w.split(/ /)"),
    string("w.split(' ', 5)"),
  ],
  "String.prototype.startsWith": string("s.startsWith(text(n))"),
  "String.prototype.substr": string("s.substr(1)"),
  "String.prototype.substring": string("s.substring(1)"),
  "String.prototype.toLowerCase": string("s.toLowerCase()"),
  "String.prototype.toString": constant(ONE_FIELD, "const s = text(n);", "s.toString()"),
  "String.prototype.toUpperCase": string("s.toUpperCase()"),
  "String.prototype.toWellFormed": string("s.toWellFormed()"),
  "String.prototype.trim": grows("const s = ' '.repeat(n) + 'x';", "s.trim()"),
  "String.prototype.trimEnd": grows("const s = 'x' + ' '.repeat(n);", "s.trimEnd()"),
  "String.prototype.trimStart": grows("const s = ' '.repeat(n) + 'x';", "s.trimStart()"),
  "String.prototype.valueOf": constant(ONE_FIELD, "const s = text(n);", "s.valueOf()"),
  "String Iterator.prototype.next": constant(
    ONE_STEP,
    "const s = text(n);",
    "(() => { for (const c of s) return c; })()",
  ),

  RegExp: grows("const s = text(n);", "new RegExp(s)"),
  "RegExp.prototype.exec": [
    grows("const re: any = /z/, w = words(n);", "re.exec(w)"),
    constant("for the marks alone", "const re: any = /b/g;", "re.exec('abab')"),
    constant("for the marks alone", "const re: any = /b/y; re.lastIndex = 2;", "re.exec('abab')"),
    constant("for the marks alone", "const re: any = /^(a+)+b$/;", "re.exec('aaaaaaaaac')"),
    constant("for the marks alone", "const re: any = /(?<x>b)(c)?/dg;", "re.exec('abab')"),
  ],
  "RegExp.prototype.test": [
    grows("const re: any = /z/, w = words(n);", "re.test(w)"),
    constant("for the marks alone", "const re: any = /b/g;", "re.test('abab')"),
  ],
  "RegExp.prototype.toString": constant("its source is a text that exists", "const re: any = /a/g;", "re.toString()"),
  "RegExp String Iterator.prototype.next": [
    constant(ONE_STEP, "const it: any = 'abab'.matchAll(/b/g);", "it.next()"),
    constant(ONE_STEP, "const it: any = 'x'.matchAll(/b/g);", "it.next()"),
  ],
  encodeURI: string("encodeURI(s)"),
  encodeURIComponent: string("encodeURIComponent(s)"),
  decodeURI: string("decodeURI(s)"),
  decodeURIComponent: string("decodeURIComponent(s)"),
  atob: grows("const s = 'abcd'.repeat(n);", "atob(s)"),
  btoa: string("btoa(s)"),

  Number: grows("const s = '1'.repeat(n);", "Number(s)"),
  "Math.hypot": spread("Math.hypot"),
  "Math.max": spread("Math.max"),
  "Math.min": spread("Math.min"),
  Boolean: constant(ONE_FIELD, "const s = text(n);", "Boolean(s)"),
  BigInt: grows("const s: any = '1'.repeat(n);", "BigInt(s)"),
  "BigInt.asIntN": grows("const b: any = 2n ** BigInt(n * 40);", "BigInt.asIntN(n * 32, b)"),
  "BigInt.asUintN": [
    grows("const b: any = 2n ** BigInt(n * 40);", "BigInt.asUintN(n * 32, b)"),
    grows("", "BigInt.asUintN(n * 32, -1n)"),
  ],
  "BigInt.prototype.toString": grows("const b: any = 2n ** BigInt(n);", "b.toString()"),
  "BigInt.prototype.valueOf": constant(ONE_FIELD, "const b: any = 2n;", "b.valueOf()"),
  isFinite: grows("const s: any = '1'.repeat(n);", "isFinite(s)"),
  isNaN: grows("const s: any = '1'.repeat(n);", "isNaN(s)"),
  parseFloat: grows("const s: any = '1'.repeat(n);", "parseFloat(s)"),
  parseInt: grows("const s: any = '1'.repeat(n);", "parseInt(s, 10)"),

  Map: grows("const a: any = pairs(n);", "new Map(a)"),
  "Map.prototype.clear": [
    constant("the entries are dropped as a whole", "const m: any = new Map([[1, 2]]);", "m.clear()"),
  ],
  "Map.prototype.delete": constant(ONE_ENTRY, "const m: any = new Map(pairs(n) as any);", "m.delete('k0')"),
  "Map.prototype.entries": constant(ONE_STEP, "const m: any = new Map(pairs(n) as any);", "m.entries()"),
  "Map.prototype.forEach": map("m.forEach(() => 1)"),
  "Map.prototype.get": constant(ONE_ENTRY, "const m: any = new Map(pairs(n) as any);", "m.get('k0')"),
  "Map.prototype.has": constant(ONE_ENTRY, "const m: any = new Map(pairs(n) as any);", "m.has('k0')"),
  "Map.prototype.keys": constant(ONE_STEP, "const m: any = new Map(pairs(n) as any);", "m.keys()"),
  "Map.prototype.set": [
    constant(ONE_ENTRY, "const m: any = new Map(pairs(n) as any);", "m.set('k0', -0)"),
    constant(ONE_ENTRY, "const m: any = new Map(pairs(n) as any);", "m.set('new', 1)"),
  ],
  "Map.prototype.values": constant(ONE_STEP, "const m: any = new Map(pairs(n) as any);", "m.values()"),
  "Map Iterator.prototype.next": constant(ONE_STEP, "const it: any = new Map([[1, 2]]).entries();", "it.next()"),
  Set: grows("const a: any = list(n);", "new Set(a)"),
  "Set.prototype.add": constant(ONE_ENTRY, "const s: any = new Set(list(n));", "s.add('new')"),
  "Set.prototype.clear": constant("the entries are dropped as a whole", "const s: any = new Set([1]);", "s.clear()"),
  "Set.prototype.delete": constant(ONE_ENTRY, "const s: any = new Set(list(n));", "s.delete(0)"),
  "Set.prototype.entries": constant(ONE_STEP, "const s: any = new Set(list(n));", "s.entries()"),
  "Set.prototype.forEach": set("s.forEach(() => 1)"),
  "Set.prototype.has": constant(ONE_ENTRY, "const s: any = new Set(list(n));", "s.has(0)"),
  "Set.prototype.values": constant(ONE_STEP, "const s: any = new Set(list(n));", "s.values()"),
  "Set Iterator.prototype.next": constant(ONE_STEP, "const it: any = new Set([1]).values();", "it.next()"),

  TypedArray: constant("it always throws", "", "Object.getPrototypeOf(Uint8Array).name"),
  "TypedArray.from": [bytes("Uint8Array.from(a)"), bytes("Uint8Array.from(a, (item: any) => item)")],
  "TypedArray.of": spread("Uint8Array.of"),
  "TypedArray.prototype.at": constant(ONE_ENTRY, "const a: any = new Uint8Array(n);", "a.at(-1)"),
  "TypedArray.prototype.copyWithin": bytes("view.copyWithin(0, 1)"),
  "TypedArray.prototype.entries": constant(ONE_STEP, "const a: any = new Uint8Array(n);", "a.entries()"),
  "TypedArray.prototype.fill": bytes("view.fill(9)"),
  ...Object.fromEntries(callbacks("TypedArray.prototype", bytes)),
  "TypedArray.prototype.includes": bytes("b.includes(1)"),
  "TypedArray.prototype.indexOf": bytes("b.indexOf(1)"),
  "TypedArray.prototype.join": bytes("a.join()"),
  "TypedArray.prototype.keys": constant(ONE_STEP, "const a: any = new Uint8Array(n);", "a.keys()"),
  "TypedArray.prototype.lastIndexOf": bytes("b.lastIndexOf(1)"),
  "TypedArray.prototype.reduce": bytes("a.reduce((total: any, item: any) => total + item)"),
  "TypedArray.prototype.reduceRight": bytes("a.reduceRight((total: any, item: any) => total + item)"),
  "TypedArray.prototype.reverse": bytes("view.reverse()"),
  "TypedArray.prototype.set": [
    bytes("b.set(a)"),
    grows("const a = list(n); const b: any = new Uint8Array(n);", "b.set(a)"),
  ],
  "TypedArray.prototype.slice": bytes("a.slice(1)"),
  "TypedArray.prototype.sort": [bytes("view.sort()"), bytes("view.sort((x: any, y: any) => y - x)")],
  "TypedArray.prototype.subarray": constant(
    "a view shares its memory",
    "const a: any = new Uint8Array(n);",
    "a.subarray(1)",
  ),
  "TypedArray.prototype.toReversed": bytes("a.toReversed()"),
  "TypedArray.prototype.toSorted": [bytes("a.toSorted()"), bytes("a.toSorted((x: any, y: any) => y - x)")],
  "TypedArray.prototype.toString": bytes("a.toString()"),
  "TypedArray.prototype.values": constant(ONE_STEP, "const a: any = new Uint8Array(n);", "a.values()"),
  "TypedArray.prototype.with": bytes("a.with(0, 7)"),
  Uint8Array: [bytes("new Uint8Array(a)"), grows("", "new Uint8Array(n)"), array("new Uint8Array(a)")],

  Date: [constant(NUMBER, "", "new Date(n)"), constant(BOUNDED, "", "new Date('2020-01-01')")],
  "Date.UTC": constant(NUMBER, "", "Date.UTC(2020, 1)"),
  "Date.now": constant(ONE_FIELD, "", "Date.now()"),
  "Date.parse": grows("const s = text(n);", "Date.parse(s)"),
  "Date.prototype.toJSON": constant(NUMBER, "const d: any = new Date(n);", "d.toJSON()"),

  AggregateError: grows("const a: any = list(n);", "new AggregateError(a)"),
  DOMException: constant("bodies cannot make one", "", "DOMException.name"),
  "cairn.NotStorable": constant("bodies cannot make one", "", "NotStorable.name"),
  "cairn.InvalidInput": constant("bodies cannot make one", "", "InvalidInput.name"),
  "cairn.InvalidOutput": constant("bodies cannot make one", "", "InvalidOutput.name"),
  "Error.prototype.toString": constant(
    "two texts are joined, not copied",
    "const e: any = new Error(text(n));",
    "e.toString()",
  ),

  Promise: constant(ONE_JOB, "", "new Promise((resolve: any, reject: any) => { resolve(1); resolve(2); reject(3); })"),
  "Promise.all": grows("const a: any = list(n);", "Promise.all(a)"),
  "Promise.allSettled": grows("const a: any = list(n);", "Promise.allSettled(a)"),
  "Promise.any": grows("const a: any = list(n);", "Promise.any(a)"),
  "Promise.race": grows("const a: any = list(n);", "Promise.race(a)"),
  "Promise.reject": constant(ONE_JOB, "", "Promise.reject(1).catch(() => 2)"),
  "Promise.resolve": constant(ONE_JOB, "", "Promise.resolve(1)"),
  "Promise.prototype.catch": constant(ONE_JOB, "const p: any = Promise.reject(1);", "p.catch(() => 1)"),
  "Promise.prototype.finally": constant(ONE_JOB, "const p: any = Promise.resolve(1);", "p.finally(() => 1)"),
  "Promise.prototype.then": [
    constant(ONE_JOB, "const p: any = Promise.resolve(1);", "p.then(() => 1)"),
    constant(ONE_JOB, "let ok: any; const p: any = new Promise((resolve) => { ok = resolve; });", "p.then(ok)"),
  ],
  "console.assert": grows("const a = list(n);", "console.assert(false, a)"),
  "console.groupEnd": constant("it logs nothing", "", "console.groupEnd()"),
  "cairn.emit": grows("const a = list(n);", "emit('e', a)"),
  "cairn.progress": grows("const a = list(n);", "progress(a)"),
  "cairn.runInfo": constant(BOUNDED, "", "runInfo()"),
  "cairn.Durable.prototype.start": grows("const a = list(n);", "child.start(a)"),
  "cairn.Durable.prototype.with": constant("its options are a literal", "", "act.with({ timeout: 5 })"),
  "cairn.Signal.prototype.wait": [
    constant(ONE_JOB, "", "go.wait()"),
    constant(ONE_JOB, "const own: any = signal('own');", "own.wait()"),
  ],
  "cairn.mapLimit": grows("const a = list(n);", "mapLimit(a, n, async (item) => item)"),

  "JSON.parse": [
    grows("const s = JSON.stringify(list(n));", "JSON.parse(s)"),
    grows("const s = JSON.stringify(list(n));", "JSON.parse(s, (key, value) => (key === '0' ? undefined : value))"),
    grows("const s = JSON.stringify(list(n));", "JSON.parse(s, (key, value) => (key === '' ? value : -value))"),
    grows("const s = JSON.stringify(record(n));", "JSON.parse(s, (key, value) => (key === 'k0' ? undefined : -1))"),
  ],
  "JSON.stringify": [
    grows("const a = list(n);", "JSON.stringify(a)"),
    grows("const s = text(n);", "JSON.stringify(s)"),
    grows("const a = list(n);", "JSON.stringify(a, (key, value) => value, 1)"),
    constant(
      "for the charges alone",
      "let deep: any = 1; for (let i = 0; i < 64; i++) deep = [deep];",
      "JSON.stringify(deep, (key, value) => value)",
    ),
    grows("const o = record(n), keys = Object.keys(o);", "JSON.stringify(o, keys)"),
  ],
  URL: [
    grows("const s = text(n);", "new URL('http://h/' + s)"),
    grows("const s = text(n);", "new URL(s, 'http://h/')"),
  ],
  "URL.canParse": grows("const s = text(n);", "URL.canParse('http://h/' + s)"),
  "URL.prototype.searchParams": [
    constant(ONE_FIELD, "const u: any = url(n);", "u.searchParams"),
    grows("const u: any = url(n); u.searchParams;", "u.searchParams.append('z', '1')"),
  ],
  "URL.prototype.href": [
    constant(ONE_FIELD, "const u: any = url(n);", "u.href"),
    grows("const u: any = url(n); u.searchParams;", "u.href = u.href.replace('b=1', 'b=2')"),
  ],
  "URL.prototype.search": [
    grows("const u: any = url(n);", "u.search"),
    grows("const u: any = url(n); u.searchParams;", "u.search = '?z=' + text(n)"),
  ],
  "URL.prototype.toJSON": constant(ONE_FIELD, "const u: any = url(n);", "u.toJSON()"),
  "URL.prototype.toString": constant(ONE_FIELD, "const u: any = url(n);", "u.toString()"),
  URLSearchParams: [
    grows("const s = query(n);", "new URLSearchParams(s)"),
    grows("const a: any = pairs(n).map(([key]) => [key, 'v']);", "new URLSearchParams(a)"),
    grows("const o: any = record(n);", "new URLSearchParams(o)"),
    constant("for the marks alone", "const o: any = { '\\ud800': 1, '\\ud801': 2 };", "new URLSearchParams(o)"),
  ],
  "URLSearchParams.prototype.append": [
    constant(ONE_ENTRY, "const p: any = new URLSearchParams(query(n));", "p.append('z', '1')"),
    params("u.searchParams.append('z', '1')"),
  ],
  "URLSearchParams.prototype.delete": [params("p.delete('a')"), params("u.searchParams.delete('a')")],
  "URLSearchParams.prototype.entries": constant(
    ONE_STEP,
    "const p: any = new URLSearchParams(query(n));",
    "p.entries()",
  ),
  "URLSearchParams.prototype.forEach": params("p.forEach(() => 1)"),
  "URLSearchParams.prototype.get": params("p.get('z')"),
  "URLSearchParams.prototype.getAll": params("p.getAll('a')"),
  "URLSearchParams.prototype.has": params("p.has('z')"),
  "URLSearchParams.prototype.keys": constant(ONE_STEP, "const p: any = new URLSearchParams(query(n));", "p.keys()"),
  "URLSearchParams.prototype.set": [
    params("p.set('z', '1')"),
    params("p.set('a', '1')"),
    params("u.searchParams.set('a', '1')"),
  ],
  "URLSearchParams.prototype.sort": [
    grows("const p: any = new URLSearchParams(text(n) + 'b=1&' + text(n) + 'a=2');", "p.sort()"),
    params("p.sort()"),
    params("u.searchParams.sort()"),
  ],
  "URLSearchParams.prototype.toString": params("p.toString()"),
  "URLSearchParams.prototype.values": constant(ONE_STEP, "const p: any = new URLSearchParams(query(n));", "p.values()"),
  "URLSearchParams Iterator.prototype.next": constant(
    ONE_STEP,
    "const it: any = new URLSearchParams(query(n)).entries();",
    "it.next()",
  ),
  TextEncoder: constant(ONE_OBJECT, "", "new TextEncoder()"),
  "TextEncoder.prototype.encode": grows("const e: any = new TextEncoder(), s = text(n);", "e.encode(s)"),
  "TextEncoder.prototype.encodeInto": grows(
    "const e: any = new TextEncoder(), s = text(n), b: any = new Uint8Array(n);",
    "e.encodeInto(s, b)",
  ),
  TextDecoder: [
    constant(ONE_OBJECT, "", "new TextDecoder('utf-8', { fatal: true })"),
    grows("const s = ' '.repeat(n) + 'utf-8';", "new TextDecoder(s)"),
  ],
  "TextDecoder.prototype.decode": [
    grows("const d: any = new TextDecoder(), b: any = new Uint8Array(n);", "d.decode(b)"),
    constant(
      "for the marks alone",
      "const d: any = new TextDecoder();",
      "d.decode(new Uint8Array([0xe6, 0x97]), { stream: true })",
    ),
    constant(
      "for the marks alone",
      "const d: any = new TextDecoder(); d.decode(new Uint8Array([0xe6]), { stream: true });",
      "d.decode(new Uint8Array([0x97, 0xa5]))",
    ),
  ],
  "crypto.randomUUID": constant(BOUNDED, "", "crypto.randomUUID()"),
};
