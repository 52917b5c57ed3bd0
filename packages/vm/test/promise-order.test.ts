import { describe, expect, test } from "vitest";
import { runNatively, runOnMachine } from "./builtins/run-body.ts";

/**
 * The order in which promise jobs run, job for job. Each body logs names; V8 says what the order is. `tick` counts
 * jobs: a chain that is one job longer than ECMA-262 has it ends one tick later.
 */
const TICKS = `
  const order = [];
  const tick = (name, count) => { let p = Promise.resolve(); for (let i = 1; i <= count; i++) p = p.then(() => { order.push(name + i); }); return p; };
  const note = (name) => (value) => { order.push(name); return value; };
`;

const bodies: Readonly<Record<string, string>> = {
  "await of a settled promise takes one job":
    'const t = tick("t", 4); const f = async () => { await Promise.resolve(1); order.push("f"); }; await Promise.all([f(), t]);',
  "await of a value takes one job":
    'const t = tick("t", 4); const f = async () => { await 1; order.push("f"); }; await Promise.all([f(), t]);',
  "returning a settled promise from an async function takes three jobs":
    'const t = tick("t", 6); const f = async () => Promise.resolve(1); await Promise.all([f().then(note("f")), t]);',
  "returning an awaited promise takes fewer":
    'const t = tick("t", 6); const f = async () => await Promise.resolve(1); await Promise.all([f().then(note("f")), t]);',
  "a then that returns a settled promise":
    'const t = tick("t", 6); await Promise.all([Promise.resolve().then(() => Promise.resolve(1)).then(note("then")), t]);',
  "a then that returns a value":
    'const t = tick("t", 6); await Promise.all([Promise.resolve().then(() => 1).then(note("then")), t]);',
  "resolve with a settled promise":
    'const t = tick("t", 6); await Promise.all([new Promise((ok) => ok(Promise.resolve(1))).then(note("new")), t]);',
  "resolve with a promise that rejects":
    'const t = tick("t", 6); await Promise.all([new Promise((ok) => ok(Promise.reject(1))).catch(note("caught")), t]);',
  "Promise.resolve of a promise is that promise":
    'const t = tick("t", 4); const p = Promise.resolve(1); order.push(Promise.resolve(p) === p); await Promise.all([Promise.resolve(p).then(note("p")), t]);',
  "a thenable takes a job of its own":
    'const t = tick("t", 6); const thenable = { then(ok) { order.push("called"); ok(1); } }; await Promise.all([Promise.resolve(thenable).then(note("thenable")), t]);',
  "await of a thenable":
    'const t = tick("t", 6); const thenable = { then(ok) { order.push("called"); ok(1); ok(2); throw new Error("late"); } }; const f = async () => { order.push(await thenable); }; await Promise.all([f(), t]);',
  "a thenable that throws before it resolves":
    'const t = tick("t", 6); const thenable = { then() { throw new Error("no"); } }; await Promise.all([Promise.resolve(thenable).catch((e) => order.push(e.message)), t]);',
  "a thenable that resolves to a promise":
    'const t = tick("t", 8); const thenable = { then(ok) { ok(Promise.resolve("inner")); } }; await Promise.all([Promise.resolve(thenable).then(note("outer")), t]);',
  "the specification's own example":
    "order.push(await Promise.race([(async () => Promise.resolve('a'))(), (async () => 'b')()]));",
  "a race of a thenable and a value":
    "order.push(await Promise.race([{ then(ok) { ok('thenable'); } }, Promise.resolve().then(() => 'then')]));",
  "finally passes through in two more jobs than then":
    'const t = tick("t", 8); await Promise.all([Promise.resolve(1).finally(note("f")).then(note("after")), t]);',
  "finally that returns a promise, and one that throws":
    'const t = tick("t", 9); await Promise.all([Promise.resolve(1).finally(() => Promise.resolve(2)).then(note("after")), Promise.resolve(1).finally(() => { throw 3; }).catch(note("threw")), t]);',
  "a rejection falls through handlers that are missing":
    'const t = tick("t", 6); await Promise.all([Promise.reject(1).then(note("no")).then(note("no")).catch(note("caught")), t]);',
  "reactions run in the order of registration, whoever registered them":
    'let ok; const p = new Promise((r) => { ok = r; }); const f = async (name) => { await p; order.push(name); }; const fa = f("a"); p.then(note("b")); const fc = f("c"); p.finally(note("d")); ok(1); await p; order.push("e"); await tick("t", 4);',
  "Promise.all of values, promises and thenables":
    'const t = tick("t", 8); await Promise.all([Promise.all([1, Promise.resolve(2), { then(ok) { ok(3); } }]).then(note("all")), Promise.allSettled([Promise.reject(1)]).then(note("settled")), Promise.any([Promise.reject(1), 2]).then(note("any")), t]);',
  "an empty Promise.all settles at once, an empty race never":
    'const t = tick("t", 4); Promise.race([]).then(note("race")); await Promise.all([Promise.all([]).then(note("all")), Promise.any([]).catch(note("any")), t]);',
  "only the first call of a resolver counts, also while it waits for a promise":
    'const t = tick("t", 8); let go; const slow = new Promise((r) => { go = r; }); const p = new Promise((ok, no) => { ok(slow); ok("second"); no("third"); }); p.then((v) => order.push(v), (e) => order.push("rejected " + e)); await tick("u", 2); go("slow"); await p; await t;',
  "an async function runs up to its first await at once":
    'const f = async () => { order.push("in"); await 0; order.push("on"); }; const p = f(); order.push("out"); await p;',
  "for loops of awaits take turns":
    'const f = async (name) => { for (let i = 0; i < 3; i++) { order.push(name + i); await null; } }; await Promise.all([f("a"), f("b"), tick("t", 5)]);',
};

describe("jobs run in V8's order", () => {
  test.each(Object.entries(bodies))("%s", async (_, body) => {
    const text = `${TICKS} ${body} log(order);`;
    expect(runOnMachine(text)).toEqual(await runNatively(text));
  });

  test("the specification's own example is b", () => {
    const body = "log(await Promise.race([(async () => Promise.resolve('a'))(), (async () => 'b')()]));";
    expect(runOnMachine(body)).toEqual(["'b'"]);
  });
});
