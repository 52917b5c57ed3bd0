/** Source texts of objects, by what a parameter or receiver is. */

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
