import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";

/** A call of something durable, as a promise. */
export function durableCall(g: Generator): string {
  const action = g.pick(g.module.actions);
  return g.pick([
    () => `${action}(${g.any()})`,
    () => `${action}(${g.expression("number")}, ${g.any()})`,
    () => `${action}(...[${g.any()}, ${g.any()}])`,
    () => `${action}.with({ timeout: ${g.pick(["5", '"1 min"'])} })(${g.any()})`,
    () => `TABLE_OF_ACTIONS.${g.pick(["first", "second"])}(${g.any()})`,
    () => `TABLE_OF_ACTIONS[${g.pick(['"first"', '"sec" + "ond"'])}](${g.any()})`,
    () => `sleep(${g.pick(["0", "1", "50", '"2 s"', '"1.5 h"', "Number('-5')", "new Date(Date.now() + 10)"])})`,
    () => `child(${g.any()})`,
    () => `approved.wait({ timeout: ${g.pick(["10", '"1 day"'])} })`,
    () => `signal("answers").wait({ timeout: 100 })`,
    () =>
      `mapLimit(${g.pick(["[1, 2, 3]", '["a", "b"]', "new Set([1, 2])"])}, ${g.pick(["1", "2", "5"])}, async (item, index) => { ${g.log("item", "index")} return ${action}(item); })`,
    () => `${action}.call(null, ${g.any()})`,
    () => `child.start(${g.any()})`,
  ])();
}

const asyncArrow = (g: Generator): string => {
  const body = g.inFunction({ async: true }, () => g.block(1 + g.random.below(2)));
  const result = g.inFunction({ async: true }, () => g.any());
  return `(async () => {\n${body}\nreturn ${result};\n})()`;
};

export const promiseProductions: readonly Production[] = [
  { name: "promise leaf", weight: 2, write: (g) => leaf(g, "promise") },
  { name: "durable call", weight: 5, when: (g) => g.inAsync, write: durableCall },
  { name: "async arrow", weight: 3, when: (g) => g.functions < 3, write: asyncArrow },
  {
    name: "Promise.all",
    weight: 1,
    write: (g) => `Promise.all([${g.expression("promise")}, ${g.any()}, ${g.expression("promise")}])`,
  },
  {
    name: "Promise.race",
    weight: 1,
    write: (g) => `Promise.race([${g.expression("promise")}, ${g.expression("promise")}])`,
  },
  {
    name: "Promise.any",
    weight: 1,
    write: (g) => `Promise.any([${g.expression("promise")}, ${g.expression("promise")}])`,
  },
  {
    name: "Promise.allSettled",
    weight: 1,
    write: (g) => `Promise.allSettled([${g.expression("promise")}, ${g.expression("promise")}])`,
  },
  {
    name: "all of map",
    weight: 1,
    when: (g) => g.inAsync,
    write: (g) =>
      `Promise.all([1, 2, 3].map(${g.pick([`(item) => ${g.pick(g.module.actions)}(item)`, `async (item) => item * 2`, g.pick(g.module.actions)])}))`,
  },
  {
    name: "then",
    weight: 2,
    write: (g) => `${g.expression("promise")}.then((value) => { ${g.log("value")} return ${g.inArrow("any")}; })`,
  },
  {
    name: "then with both",
    weight: 1,
    write: (g) =>
      `${g.expression("promise")}.then((value) => { ${g.log("value")} throw ${leaf(g, "error")}; }, (reason) => { ${g.log("reason")} return 1; })`,
  },
  {
    name: "catch",
    weight: 2,
    write: (g) => `${g.expression("promise")}.catch((reason) => { ${g.log("reason")} return ${g.inArrow("any")}; })`,
  },
  {
    name: "finally",
    weight: 1,
    write: (g) =>
      `${g.expression("promise")}.finally(() => { ${g.log()} ${g.chance(0.2) ? `throw ${leaf(g, "error")};` : g.chance(0.3) ? `return ${g.inArrow("promise")};` : ""} })`,
  },
  {
    name: "thenable",
    weight: 1,
    write: (g) =>
      `Promise.resolve({ then(resolve, reject) { ${g.log()} ${g.pick([`resolve(${g.inArrow("any")})`, `reject(${leaf(g, "error")})`, `resolve(${g.inArrow("promise")}); reject(1)`, `throw ${leaf(g, "error")}`])}; } })`,
  },
  { name: "new Promise", weight: 2, write: newPromise },
  {
    name: "deferred",
    weight: 1,
    write: (g) =>
      `(() => { let settle; const made = new Promise((resolve) => { settle = resolve; }); settle(${g.inArrow("any")}); settle(2); return made; })()`,
  },
  {
    name: "returned promise",
    weight: 1,
    write: (g) => `(async () => ${g.pick(["", "await "])}Promise.resolve(${g.inArrow("any")}))()`,
  },
  { name: "nested promise", weight: 1, write: (g) => `Promise.resolve(${g.inArrow("promise")})` },
];

function newPromise(g: Generator): string {
  const body = g.inFunction({ async: false }, () =>
    g.pick([
      () => `resolve(${g.any()});`,
      () => `reject(${leaf(g, "error")});`,
      () => `${g.log()} resolve(${leaf(g, "promise")});`,
      () => `throw ${leaf(g, "error")};`,
      () => `resolve(1); throw ${leaf(g, "error")};`,
    ])(),
  );
  return `new Promise((resolve, reject) => { ${body} })`;
}
