/** Source texts of interesting values, by what a parameter or receiver is. */

export const numbers = [
  "0",
  "-0",
  "1",
  "-1",
  "2",
  "7",
  "-3.7",
  "0.5",
  "1.5",
  "2.5",
  "-2.5",
  "1e21",
  "1e-7",
  "123.456",
  "NaN",
  "Infinity",
  "-Infinity",
  "2 ** 31",
  "-(2 ** 31)",
  "2 ** 32",
  "2 ** 53",
  "4294967295",
  "0.1 + 0.2",
  "1e300",
  "5e-324",
  "255",
  "1_000_000",
  "0xff",
  "0b101",
];

/** What ToNumber makes something of, or refuses. */
export const almostNumbers = [
  '"12"',
  '"0x1f"',
  '" 3 "',
  '"abc"',
  '""',
  '"1e3"',
  '"-"',
  "null",
  "undefined",
  "true",
  "false",
  "[]",
  "[5]",
  "[1, 2]",
  "({})",
  "({ valueOf() { return 3; } })",
  '({ toString() { return "4"; } })',
  "({ valueOf() { return {}; }, toString() { return 6; } })",
  "10n",
  "new Date(5)",
  "() => 1",
  "({ valueOf() { throw new RangeError('§valueOf'); } })",
];

export const integers = [
  "0",
  "1",
  "2",
  "-1",
  "-2",
  "3",
  "5",
  "10",
  "1.9",
  "-0.5",
  "NaN",
  "Infinity",
  "-Infinity",
  "undefined",
  '"1"',
  "null",
  "true",
];

/** Where more than a few would fill the memory. */
export const sizes = ["0", "1", "2", "3", "10", "-1", "1.5", "NaN", '"3"', "null", "undefined", "true"];

export const strings = [
  '""',
  '"a"',
  '"abc"',
  '"Hello, World"',
  '"héé"',
  '"😀x😀"',
  '"\\ud800"',
  '"\\udc00a\\ud83d"',
  '"A B,c,,d"',
  '"12"',
  '"aaa"',
  '"\\u0000\\n\\t"',
  '"  padded \\ufeff"',
  '"ǅ İ ß ς Σ"',
  '"a-b_c.d"',
  '"\\u1e9b\\u0323"',
  '"<b>&\\"\'"',
  '"foo bar foo"',
  '"line1\\nline2\\r\\nline3"',
  '"0"',
  '"ab12cd345"',
];

export const almostStrings = [
  "undefined",
  "null",
  "5",
  "-0",
  "1e21",
  "true",
  "10n",
  "[1, 2]",
  "[null, [undefined, 3]]",
  "({})",
  '({ toString() { return "o"; } })',
  '({ toString() { return {}; }, valueOf() { return "v"; } })',
  "({ toString() { throw new TypeError('§toString'); } })",
  "/x/g",
  "new Date(0)",
  "new Error('§e')",
];

export const bigints = [
  "0n",
  "1n",
  "-1n",
  "255n",
  "-256n",
  "2n ** 64n",
  "-(2n ** 63n)",
  "12345678901234567890n",
  "0xffn",
];

export const arrays = [
  "[]",
  "[1, 2, 3]",
  "[3, 1, 2]",
  '["b", "a", "c"]',
  "[1, , 3]",
  "[, ,]",
  "[[1, [2, [3]]], 4]",
  "[NaN, -0, 0, null, undefined]",
  '[10, 9, 1, "10", "9"]',
  "[undefined, 3, , 1]",
  "[true, false]",
  "[{ a: 1 }, { a: 0 }]",
  "[[3, 4], [1, 2]]",
  "[5n, 3n, 4]",
  "[17, 4, 9, 12, 3, 8, 1, 22, 15, 6, 11, 2, 19, 7, 14, 5, 10, 13, 20, 18, 16, 21]",
  "Array.from({ length: 40 }, (_, i) => (i * 7919) % 40)",
];

export const arrayLikes = [
  '({ length: 2, 0: "x", 1: "y" })',
  "({ length: 3, 1: 5 })",
  "({ length: -1 })",
  '({ length: "2", 0: 1 })',
  "({})",
];

export const objects = [
  "({})",
  "({ a: 1, b: 2 })",
  "({ b: 1, 10: 2, a: 3, 2: 4 })",
  "({ nested: { list: [1, { x: null }] } })",
  '({ "": 0, "a b": 1 })',
  "Object.freeze({ f: 1 })",
  "Object.seal({ s: 1 })",
  "Object.create(null)",
  "[1, , 3]",
  '"text"',
  "5",
  "true",
  "(a, b) => a",
  "new Map([[1, 2]])",
  "new Date(0)",
  "/re/gi",
  "new Error('§obj')",
  "new Uint8Array([1, 2])",
  "Object.defineProperty({ v: 1 }, 'hidden', { value: 2 })",
];

export const keys = [
  '"a"',
  '"b"',
  '"length"',
  '"0"',
  "0",
  "1",
  '"name"',
  '"hidden"',
  '"toString"',
  '"constructor"',
  "null",
  "undefined",
  "1.5",
  "-0",
  '({ toString() { return "a"; } })',
];

export const iterables = [
  "[]",
  "[1, 2, 3]",
  '"añ😀"',
  "new Set([1, 2, 1])",
  "[1, , 3].values()",
  "new Map([[1, 2]]).keys()",
  "[[1, 2], [3, 4]]",
  "new Uint8Array([7, 8])",
];

export const pairs = [
  "[]",
  '[["a", 1], ["b", 2]]',
  "[[1, 2], [1, 3], [NaN, 4], [NaN, 5], [-0, 6], [0, 7]]",
  "new Map([[1, 2], ['x', [3]]])",
  "Object.entries({ x: 1, y: { z: 2 } })",
  "[[{}, 1], [{}, 2]]",
  "[['only']]",
];

export const notIterable = ["5", "{}", "null", "() => 1"];

export const dates = [
  "new Date(0)",
  "new Date(NaN)",
  "new Date(2024, 1, 29, 12, 34, 56, 789)",
  "new Date(8.64e15)",
  "new Date(-1)",
  'new Date("1969-12-31T23:59:59.999Z")',
  "new Date(Date.UTC(99, 0))",
  "new Date(-62198755200000)",
  "new Date(1e12)",
];

export const dateTexts = [
  '"2024-02-29T12:34:56.789Z"',
  '"2024-01-01"',
  '"2024-01-01T00:00:00"',
  '"Thu, 01 Jan 1970 00:00:00 GMT"',
  '"1 Jan 2020"',
  '"2020-13-01"',
  '"x"',
  '"2024-02-30"',
  '"+275760-09-13T00:00:00.000Z"',
  '"Jan 5, 2021 10:00 PM"',
  '"2021-01-01T10:00:00+02:00"',
  '"2024"',
  '"2024-06"',
  '"12/25/1995"',
  '""',
  '"Tue Mar 01 2022 00:00:00 GMT+0000"',
];

export const regexps = [
  "/a/",
  "/b+/g",
  "/(?<x>a)(b)?/d",
  "/\\d+/gy",
  "/[^a-c]/giu",
  "/(a|b)*?c/",
  "/^.$/gms",
  "/(?=o)o/g",
  "/(?<!b)a/",
  "/\\p{L}+/u",
  "/[\\p{L}--[a-c]]/v",
  "/x*/g",
  "/(.)\\1/",
  "/\\bfoo\\b/gi",
  "/(?:)/g",
  "/,|-/",
  "/(\\w)(\\d+)/g",
  "/(a)|(b)|(c)/g",
  "/\\s+/",
  "/./su",
  "/[\\s\\S]/g",
  "/(?<y>\\d{2})-?(?<m>\\d)/",
];

export const replacements = [
  '""',
  '"x"',
  '"[$&]"',
  '"$1-$2"',
  '"$<x>"',
  '"$$ $` $\'"',
  '"$0$10$01"',
  "(match, ...rest) => JSON.stringify([match, rest.length])",
  "(m) => m.toUpperCase()",
  "() => 5",
  "undefined",
  "() => { throw new RangeError('§replace'); }",
];

export const maps = [
  "new Map()",
  "new Map([[1, 'one'], ['two', 2], [NaN, null]])",
  "new Map([[{ k: 1 }, [1]], [undefined, -0]])",
];
export const sets = ["new Set()", "new Set([3, 1, 2, 1])", "new Set(['a', NaN, NaN, -0, 0, undefined])"];
export const byteArrays = [
  "new Uint8Array()",
  "new Uint8Array([1, 2, 3])",
  "new Uint8Array([5, 3, 200, 3, 0])",
  "Uint8Array.from([256, -1, 1.9, NaN])",
  "new Uint8Array(4).fill(7)",
];

export const urls = [
  '"https://user:pass@example.com:8080/a/b?x=1&y=2#frag"',
  '"http://EXAMPLE.com/../x y"',
  '"mailto:a@b.c"',
  '"https://xn--mnchen-3ya.de/"',
  '"file:///tmp/a.txt"',
  '"http://[::1]:80/"',
  '"https://example.com"',
  '"http://192.168.0.1.:443/?q#"',
  '"data:text/plain,hi"',
  '"https://münchen.example/ä?ö#ü"',
];
export const urlParts = [
  '""',
  '"a"',
  '"/p q/ä"',
  '"?x=1&y=ä"',
  '"#f g"',
  '"example.org"',
  '"example.org:99"',
  '"8080"',
  '"70000"',
  '"https"',
  '"ftp:"',
  '"https://new.example/z"',
  "5",
];
export const badUrls = ['"nope"', '"http://"', '"//x"', '""', "5", '"https://exa mple"'];
export const params = [
  "new URLSearchParams()",
  'new URLSearchParams("a=1&b=2&a=3")',
  'new URLSearchParams("z=%20+%C3%A9&y&=x")',
  'new URL("https://e.x/?q=1&r=2").searchParams',
];
export const paramsInits = [
  '""',
  '"a=1&b=2"',
  '"?a=1&a=2"',
  '[["a", "1"], ["b", "2"]]',
  "({ a: 1, b: true })",
  'new URLSearchParams("k=v")',
  "new Map([['m', 'n']])",
  "undefined",
  "null",
];

export const errors = [
  "new Error('§a')",
  "new TypeError('§b', { cause: 1 })",
  "new RangeError()",
  "new AggregateError([1, new Error('§in')], '§agg')",
  "Object.assign(new Error('§c'), { name: 'Custom', code: 1 })",
];
export const functions = [
  "(a, b) => [a, b]",
  "function named(a, b = 1, ...c) { return a; }",
  "Math.max",
  "async (x) => x",
  "({ method(a) { return [this, a]; } }).method",
  "String.fromCharCode",
  "((a, b, c) => a + b + c).bind(null, 1)",
];
export const promises = [
  "Promise.resolve(1)",
  "Promise.reject(new Error('§rejected'))",
  "(async () => 'async')()",
  "new Promise((resolve) => resolve([1]))",
  "new Promise((_, reject) => reject(5))",
  "Promise.resolve(Promise.resolve('deep'))",
];
export const promiseLists = [
  "[]",
  "[1, Promise.resolve(2), 3]",
  "[Promise.reject(new TypeError('§p')), Promise.resolve(1)]",
  "[Promise.reject(1), Promise.reject(2)]",
  "new Set([Promise.resolve('x'), 'y'])",
  "[(async () => { await null; return 'slow'; })(), Promise.resolve('fast')]",
  "[{ then(f) { f('thenable'); } }, 2]",
];
export const jsonTexts = [
  '"[1, 2, {\\"a\\": null}]"',
  '\'{"b":[true,false,1.5e3],"a":"\\\\u0041\\\\n"}\'',
  '"1"',
  '"  null "',
  '"[1,]"',
  '"{"',
  '""',
  '\'{"__proto__":1,"x":2}\'',
  '"-0"',
  '"01"',
  "'\"\\\\ud800\"'",
  "undefined",
  "'[[[[]]]]'",
];
export const jsonValues = [
  "({ a: [1, null, undefined, () => 1], b: undefined, c: NaN, d: -0 })",
  "[new Date(0), new Date(NaN)]",
  '({ toJSON(k) { return ["json", k]; } })',
  '"\\ud800\\u2028\\n\\""',
  "10n",
  "({ x: { toJSON() { return undefined; } }, y: 1 })",
  "new Map([[1, 2]])",
  "[[], {}, [[]]]",
  "undefined",
  "(() => { const o = {}; o.self = o; return o; })()",
  "new Error('§j')",
  "/x/",
  "[,1]",
  "({ 2: 1, 1: 2, z: 3 })",
  "new URL('https://e.x/')",
  "new Uint8Array([1, 2])",
  "Object.create(null)",
];
export const iterators = {
  array: ["[1, 2].values()", "[1, , 3].entries()", "['k'].keys()"],
  map: ["new Map([[1, 2]]).entries()", "new Map().keys()"],
  set: ["new Set([1, 2]).values()", "new Set(['e']).entries()"],
  string: ["Array.from('x')"],
  regexp: ['"a1b22".matchAll(/\\d+/g)', '"".matchAll(/x/g)'],
  params: ['new URLSearchParams("a=1&b=2").entries()', 'new URLSearchParams("a=1").keys()'],
};

export const anything = [
  ...["0", "1", "-0", "NaN", "1.5", '""', '"a"', '"1"', "true", "false", "null", "undefined", "5n"],
  ...[
    "[]",
    "[1, 2]",
    "({})",
    "({ a: 1 })",
    "new Map([[1, 2]])",
    "new Set([1])",
    "new Date(0)",
    "new Error('§any')",
    "() => 7",
    "/r/g",
    "new Uint8Array([1])",
  ],
];
