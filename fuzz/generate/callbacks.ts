/** Source texts of callbacks, by the names of their parameters in the list of built-ins. */

const items = [
  "(item, index) => [item, index]",
  "(item) => item > 1",
  "(item) => String(item)",
  "(item, index, list) => { if (index === 0 && Array.isArray(list)) list.length = Math.min(list.length, 2); return item; }",
  "(item, index, list) => { if (index < 2 && Array.isArray(list)) list.push(index); return index % 2 === 0; }",
  "(item, index) => { if (index === 1) throw new RangeError('§callback'); return item; }",
  "(item) => { if (typeof item === 'object') return null; return item; }",
  "function (item, index) { return [index, item]; }",
  "(...all) => all.length",
  "() => true",
  "() => undefined",
  "async (item) => item",
  "Boolean",
  "String",
  "parseInt",
  "Math.abs",
];

const totals = [
  "(total, item) => total + item",
  "(total, item, index) => [total, item, index]",
  "(total, item, index, list) => { if (index === 1 && Array.isArray(list)) list.pop(); return item; }",
  "(total, item) => { if (item === 2) throw new TypeError('§reduce'); return total; }",
  "Math.max",
];

const comparators = [
  "(a, b) => a - b",
  "(a, b) => b - a",
  "(a, b) => (String(a) < String(b) ? -1 : 1)",
  "() => 0",
  "() => 1",
  "() => -1",
  "() => NaN",
  "(a, b) => (a > b)",
  "(a, b) => { if (b === 3) throw new RangeError('§compare'); return a - b; }",
  "(a, b) => { calls.push([a, b]); return Number(a) - Number(b); }",
  "undefined",
];

const executors = [
  "(resolve) => resolve(1)",
  "(resolve, reject) => reject('§no')",
  "(resolve) => { resolve(1); resolve(2); }",
  "() => { throw new TypeError('§executor'); }",
  "(resolve) => { resolve({ then(done) { done('thenable'); } }); }",
];
const reactions = [
  "(value) => [value]",
  "() => { throw new RangeError('§reaction'); }",
  "(value) => Promise.resolve(value)",
  "async (value) => value",
  "undefined",
  "() => ({ then(f) { f('inner'); } })",
];
const revivers = [
  "(key, value) => (Array.isArray(value) ? value.length : value)",
  "(key, value) => (key === 'a' ? undefined : value)",
  "(key, value) => [key, value].length + typeof value",
  "undefined",
];

/** An async callback that nothing waits for is a diagnostic. */
const UNAWAITED = /\.(?:forEach|filter|some|every|find|findIndex|findLast|findLastIndex)$/;

const notFunctions = ["undefined", "null", "5", '"text"', "({})"];

/** The pool for a parameter of type `fn(…)`. */
export function callbacksFor(type: string, path: string): readonly string[] {
  const names = /^fn\(([^)]*)\)/.exec(type)?.[1] ?? "";
  if (names === "a, b") return comparators;
  if (names === "resolve, reject") return executors;
  if (names === "key, value") return revivers;
  if (names.startsWith("total")) return [...totals, ...notFunctions.slice(0, 1)];
  if (names === "reason" || names === "value" || names === "") return reactions;
  return UNAWAITED.test(path) ? items.filter((text) => !text.startsWith("async")) : items;
}

export { notFunctions };
