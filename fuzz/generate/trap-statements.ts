import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";

/** Rules of the language that are easily overlooked, each as a few lines around random values. */
export const trapStatements: readonly Production[] = [
  { name: "scope traps", weight: 3, when: (g) => g.functions < 3, write: scopeTraps },
  { name: "chain effects", weight: 3, write: chainEffects },
  { name: "literal forms", weight: 1, write: literalForms },
  { name: "functions as objects", weight: 1, write: functionsAsObjects },
  { name: "error objects", weight: 2, write: errorObjects },
  { name: "odd keys", weight: 1, write: oddKeys },
  { name: "primitive members", weight: 2, write: primitiveMembers },
  { name: "promise traps", weight: 3, when: (g) => g.inAsync, write: promiseTraps },
  { name: "endless recursion", weight: 1, write: endlessRecursion },
  { name: "iterators by hand", weight: 2, write: iteratorsByHand },
  { name: "mixed comparisons", weight: 2, write: mixedComparisons },
  { name: "date arithmetic", weight: 1, write: dateArithmetic },
];

function scopeTraps(g: Generator): string {
  const f = g.fresh("f");
  const value = (): string => leaf(g, "number");
  return g.pick([
    () => `function ${f}(a, read = () => a) { var a = ${value()}; return [a, read()]; }\n${g.log(`${f}(${value()})`)}`,
    () =>
      `function ${f}(a = ${value()}) { var a; const before = a; a = 2; return [before, a]; }\n${g.log(`${f}()`, `${f}(3)`)}`,
    () =>
      `function ${f}(a, b = (a = ${value()}), c = () => (a += 1)) { c(); return [a, b]; }\n${g.log(`${f}(1)`, `${f}(1, 2)`)}`,
    () => `function ${f}() { try { throw ${value()}; } catch (e) { var e = 2; return [e]; } }\n${g.log(`${f}()`)}`,
    () =>
      `function ${f}() { var x = 1; { var x = 2; } let y = 1; { let y = 2; y++; } return [x, y]; }\n${g.log(`${f}()`)}`,
    () =>
      `try {\nswitch (${g.pick(["0", "1"])}) {\ncase 0:\nlet ${f} = 1;\ncase 1:\n${g.log(f)}\n}\n} catch (error) {\n${g.log("error")}\n}`,
    () =>
      `switch (1) {\ndefault:\nvar ${f} = [];\ncase 5:\nfor (let i = 0; i < 2; i++) ${f}.push(() => i);\nlet k = 7;\n${f}.push(() => k++);\n}\n${g.log(`${f}.map((each) => each())`, `${f}[2]()`)}`,
    () =>
      `var ${f} = 1;\nvar ${f};\n${g.log(f)}\n{\nfunction ${f}i() { return 1; }\nfunction ${f}i2() { return ${f}i(); }\n${g.log(`${f}i2()`)}\n}`,
    () =>
      `const ${f} = function inner(n) { const outer = inner; { let inner = n; return [typeof inner, typeof outer]; } };\n${g.log(`${f}(1)`)}`,
    () =>
      `function ${f}({ a, b = a, ...c }, [d = b, ...e] = [a], ...h) { a = 5; return [a, b, c, d, e, h]; }\n${g.log(`${f}({ a: 1, z: 2 })`, `${f}({ a: 1, b: undefined }, [undefined, 2], 3, 4)`, `${f}.length`)}`,
    () =>
      `const ${f} = [];\nfor (const x of [1, 2]) { ${f}.push(() => x); { const x = 5; ${f}.push(() => x); } }\nfor (let x of [3]) { ${f}.push(() => x); x = 9; }\n${g.log(`${f}.map((each) => each())`)}`,
    () =>
      `let ${f} = ${value()};\n{\nconst ${f}k = ${f};\nlet ${f}2 = () => ${f}k + ${f};\n${f} = 100;\n${g.log(`${f}2()`)}\n}`,
    () =>
      `const ${f} = { n: ${value()}, m() { const arrow = () => () => this.n; function plain() { return typeof arrow; } return [arrow()(), plain()]; } };\n${g.log(`${f}.m()`, `${f}.m.call({ n: 0 })`)}`,
  ])();
}

function chainEffects(g: Generator): string {
  const [o, i] = [g.fresh("o"), g.fresh("i")];
  const base = g.pick([o, `${o}.a`, `${o}.none`, `${o}.zero`, `${o}["f"]`, "null", "undefined", `${o}.a.b`]);
  const links = Array.from({ length: 1 + g.random.below(4) }, () =>
    g.pick([
      "?.a",
      ".a",
      "?.[0]",
      `?.[${i}++]`,
      "?.f",
      "?.f()",
      `?.f(${i}++)`,
      "?.()",
      "?.b",
      "!.a",
      `[${i}++]`,
      "?.toString()",
      "?.g?.(1)",
    ]),
  );
  const chain = `${base}${links.join("")}`;
  const whole = g.pick([
    chain,
    `(${chain})?.a`,
    `(${chain} as any)?.[0]`,
    `typeof ${chain}`,
    `${chain} ?? ${i}++`,
    `delete ${o}.a?.a`,
    `delete ${o}.none?.[${i}++]`,
    `(${chain})`,
    `[${chain}, ${i}]`,
    `${chain} === undefined`,
  ]);
  return `let ${i} = 0;\nconst ${o} = { a: { b: 1, f() { return [this === ${o}.a]; } }, zero: 0, f: (x) => ({ a: x, f: null }), g() { return this; }, 0: "first" };\ntry {\n${g.log(whole, i)}\n} catch (error) {\n${g.log("error instanceof TypeError", i)}\n}`;
}

function literalForms(g: Generator): string {
  return g.pick([
    () =>
      g.log(
        "0o17",
        "0b1101",
        "0xFf",
        "1_000.5e-1_0",
        ".5",
        "5.",
        "1e3",
        "0.1e-6",
        "9007199254740993",
        "1e400",
        "0xffffffffffffffff",
      ),
    () =>
      g.log(
        '"\\x41\\u0042\\u{1F600}\\0\\v\\b\\\\"',
        "'line \\\ncontinued'",
        "`raw \\n ${1}${`inner ${2}`} \\``",
        '"\\u2028"',
        "'\"'",
        '"\'"',
      ),
    () => g.log("10n", "0xffn", "0b11n", "1_0n", "-(0n)", "/[/]\\/(?:)/.source", "/a/gimsuy.flags", "/\\//v.flags"),
    () =>
      g.log(
        "[, ]",
        "[, , 1]",
        "[1, ]",
        "({ a: 1, a: 2, 'b c': 3, 0x10: 4, 1e3: 5, .5: 6, 2n: 7 })",
        "({ if: 1, class: 2, async: 3, get: 4, set: 5, of: 6, await: 7 })",
      ),
    () =>
      g.log(
        "({ async() { return 1; }, get() { return 2; }, static() { return 3; }, await: 4, async async() {} }).get()",
        "((async) => async)(1)",
        "((of, get, set) => [of, get, set])(1, 2, 3)",
      ),
    () =>
      `const { a: \\u0061b${g.fresh("c")} = 1, "quoted key": q${g.fresh("c")} = 2, 5: n${g.fresh("c")} = 3 } = { 5: ${leaf(g, "number")} };\n${g.log("`${`${`deep`}`}`")}`,
  ])();
}

function functionsAsObjects(g: Generator): string {
  const f = g.fresh("f");
  const step = (): string =>
    g.pick([
      `${f}.extra = ${leaf(g, "any")};`,
      `${f}.name = "other";`,
      `${f}.length = 5;`,
      `delete ${f}.extra;`,
      `delete ${f}.name;`,
      `Object.freeze(${f});`,
      `${f}.list = [${f}.name];`,
      `Object.defineProperty(${f}, "name", { value: "renamed" });`,
    ]);
  const tried = Array.from({ length: 3 }, () => `try {\n${step()}\n} catch (error) {\n${g.log("error")}\n}`);
  return `const ${f} = ${g.pick(["(a, b) => a", "function (a) { return a; }", "async () => 1", "({ m(x) { return x; } }).m", "((a, b) => a).bind(null, 1)"])};\n${tried.join("\n")}\n${g.log(`${f}.name`, `${f}.length`, `${f}.extra`, `Object.keys(${f})`, `typeof ${f}`, `${f} instanceof Function`, `Object.getOwnPropertyNames(${f}).includes("name")`, `"call" in ${f}`, `Object.isFrozen(${f})`)}`;
}

function errorObjects(g: Generator): string {
  const e = g.fresh("e");
  const make = g.pick([
    'new Error("§a")',
    'Error("§b")',
    "new Error()",
    "new Error(undefined)",
    'new TypeError("§c", { cause: undefined })',
    'new RangeError("§d", { cause: { k: 1 } })',
    'new AggregateError([1, 2], "§e")',
    leaf(g, "error"),
  ]);
  const step = (): string =>
    g.pick([
      `${e}.message = "§changed";`,
      `delete ${e}.message;`,
      `${e}.name = "§Named";`,
      `${e}.code = ${leaf(g, "any")};`,
      `${e}.cause = ${e};`,
      `${e}.message = ${leaf(g, "number")};`,
      `Object.assign(${e}, { a: 1, name: "§N" });`,
      `Object.freeze(${e});`,
      "",
    ]);
  const tried = Array.from(
    { length: 2 },
    () => `try {\n${step()}\n} catch (error) {\n${g.log("error instanceof TypeError")}\n}`,
  );
  return `const ${e} = ${make};\n${tried.join("\n")}\n${g.log(`String(${e})`, `\`\${${e}}\``, `Object.keys(${e})`, `JSON.stringify(${e})`, `{ ...${e} }`, `Object.hasOwn(${e}, "message")`, `Object.hasOwn(${e}, "cause")`, `"cause" in ${e}`, `Object.prototype.toString.call(${e})`)}\n${g.log(e, `${e}.constructor.name`, `typeof ${e}.stack`, `Object.getOwnPropertyNames(${e}).toSorted()`)}`;
}

function oddKeys(g: Generator): string {
  const o = g.fresh("o");
  const keys = [
    "1e21",
    "-0",
    "NaN",
    "null",
    "undefined",
    "true",
    "[1, 2]",
    "1.50",
    "0x10",
    '"01"',
    '"-1"',
    "2 ** 32",
    "2 ** 32 - 1",
    "10n",
    '""',
    '"a b"',
    "{ toString() { return 'k'; } }",
    '"\\ud800"',
    "[]",
    "-1",
  ];
  const writes = g.random
    .shuffle(keys)
    .slice(0, 6)
    .map((key, index) => `${o}[${key}] = ${index};`);
  return `const ${o} = ${g.pick(["{}", "[]", "{ 5: 1, b: 2 }"])};\n${writes.join("\n")}\n${g.log(o, `Object.entries(${o})`, `${o}[${g.pick(keys)}]`, `delete ${o}[${g.pick(keys)}]`, `${g.pick(keys)} in ${o}`, `Object.keys(${o})`)}\nfor (const key in ${o}) ${g.log("key")}`;
}

function primitiveMembers(g: Generator): string {
  const p = g.fresh("p");
  const key = (): string =>
    g.pick([
      "0",
      "1.5",
      "-1",
      '"length"',
      '"-0"',
      '""',
      '"01"',
      "9",
      '"x"',
      '"constructor"',
      "NaN",
      "null",
      '"1e0"',
      "2 ** 32",
    ]);
  const step = (): string =>
    g.pick([
      () => g.log(`delete ${p}[${key()}]`),
      () => `${p}[${key()}] = ${leaf(g, "any")};`,
      () =>
        g.log(
          `typeof ${p}[${key()}]`,
          `Object.hasOwn(${p}, ${key()})`,
          `${p}.hasOwnProperty(${key()})`,
          `${p}.propertyIsEnumerable(${key()})`,
        ),
      () => g.log(`${key()} in ${p}`),
      () =>
        g.log(
          `Object.keys(${p})`,
          `{ ...${p} }`,
          `Object.entries(${p})`,
          `Object.getOwnPropertyDescriptor(${p}, ${key()})`,
        ),
      () => `for (const k in ${p}) ${g.log("k")}`,
      () => `const { length: l${p} = "none", [${key()}]: k${p} = 1 } = ${p};\n${g.log(`l${p}`, `typeof k${p}`)}`,
      () => `${p}[${key()}] ${g.pick(["+=", "??=", "||=", "&&="])} 1;`,
      () => g.log(`Object.isFrozen(${p})`, `Object.assign({}, ${p})`, `structuredClone(${p})`),
    ])();
  const lines = Array.from({ length: 5 }, () => `try {\n${step()}\n} catch (error) {\n${g.log("error")}\n}`);
  return `const ${p}: any = ${g.pick(['"text"', '""', "5", "true", "10n", "-0", '"😀"'])};\n${lines.join("\n")}`;
}

function promiseTraps(g: Generator): string {
  const p = g.fresh("p");
  const action = g.pick(g.module.actions);
  const text = g.pick([
    () =>
      `let ${p}r;\nconst ${p} = new Promise((resolve) => { ${p}r = resolve; });\n${p}r(${p});\n${g.log(`await ${p}`)}`,
    () =>
      `const ${p} = Promise.resolve(1);\n${g.log(`Promise.resolve(${p}) === ${p}`, `${p}.then() === ${p}`, `await ${p}.then(5)`, `await ${p}.then(null, null).finally(1)`)}`,
    () => `const ${p} = async () => ({ then(resolve) { ${g.log()} resolve("inner"); } });\n${g.log(`await ${p}()`)}`,
    () => `const ${p} = { then: 5 };\n${g.log(`await ${p}`)}`,
    () => `const ${p} = { then() { throw new RangeError("§then"); } };\n${g.log(`await ${p}`)}`,
    () =>
      `const ${p} = { then(resolve, reject) { resolve(1); reject(2); throw 3; } };\n${g.log(`await ${p}`, `await Promise.all([${p}, 4])`)}`,
    () =>
      `${g.log("await Promise.all([])", "await Promise.allSettled([])", "await Promise.any([]).catch((error) => error.errors)", "await Promise.all(new Map([[1, 2]]))", 'await Promise.all("ab")')}`,
    () =>
      `const ${p} = Promise.all([${action}(1), 5, null]);\nconst ${p}2 = ${p}.finally(() => { throw new TypeError("§finally"); });\n${g.log(`await ${p}2.catch((error) => error)`, `await ${p}.catch(() => 0)`)}`,
    () =>
      `const ${p} = [];\nconst one = async (n) => { ${p}.push(n); await null; ${p}.push(n + 10); return n; };\none(1).then((n) => ${p}.push(n + 20));\nvoid one(2).finally(() => ${p}.push("f"));\nPromise.resolve().then(() => ${p}.push("t"));\nawait one(3);\n${g.log(p)}`,
    () =>
      `const ${p} = ${action}(1);\n${p}.then((value) => { ${g.log("value")} }, () => { ${g.log()} });\n${g.log(`await ${p}.then((x) => x, () => "failed")`, `await ${p}.then((x) => x, () => "again")`, `${p} instanceof Promise`)}`,
    () =>
      `const ${p} = (async () => { try { await Promise.reject(new Error("§in")); } finally { ${g.log()} await null; ${g.log()} } })();\n${g.log(`await ${p}.catch((error) => error)`)}`,
    () =>
      `const ${p} = new Promise((resolve, reject) => { reject(1); resolve(2); throw 3; });\n${g.log(`await ${p}.catch((reason) => [reason])`)}`,
    () =>
      `const ${p} = Promise.race([new Promise(() => {}), ${action}(2), ${action}(1)]);\n${g.log(`await ${p}.catch((error) => error)`)}`,
  ])();
  return `try {\n${text}\n} catch (error) {\n${g.log("error")}\n}`;
}

/** The depth differs, the error does not. */
function endlessRecursion(g: Generator): string {
  const f = g.fresh("f");
  const call = g.pick([
    `const ${f} = (n) => ${f}(n + 1) + 1;\n${f}(0);`,
    `const ${f} = { toString() { return \`\${${f}}\`; } };\nString(${f});`,
    `function ${f}() { try { return ${f}(); } finally { } }\n${f}();`,
    `const ${f} = (x) => [x].map(${f});\n${f}(1);`,
    `const ${f} = { valueOf() { return +${f}; } };\n${f} * 2;`,
  ]);
  return `try {\n${call}\n} catch (error) {\n${g.log("error instanceof RangeError", "error.name")}\n}`;
}

function iteratorsByHand(g: Generator): string {
  const it = g.fresh("it");
  const made = g.pick([
    "[1, 2, 3].values()",
    "[1, , 3].entries()",
    '"a😀b"'.concat(".matchAll(/./gu)"),
    "new Map([[1, 2], [3, 4]]).entries()",
    "new Set([1, 2]).values()",
    "new Uint8Array([7, 8]).keys()",
    'new URLSearchParams("a=1&b=2").entries()',
    "[].keys()",
  ]);
  const step = (): string =>
    g.pick([
      () => g.log(`${it}.next()`),
      () => `for (const x of ${it}) {\n${g.log("x")}\nbreak;\n}`,
      () => `const [${it}${g.fresh("h")}] = ${it};`,
      () => g.log(`[...${it}]`),
      () => g.log(`Array.from(${it}, (x, i) => [i, x])`),
      () => g.log(`new Set(${it}).size`, `${it}.next().done`),
      () => g.log(`((...all) => all.length)(...${it})`),
    ])();
  return `const ${it} = ${made};\ntry {\n${Array.from({ length: 4 }, step).join("\n")}\n} catch (error) {\n${g.log("error")}\n}\n${g.log(`Object.prototype.toString.call(${it})`, `typeof ${it}.next`)}`;
}

const COMPARED = [
  "1n",
  "1",
  '"1"',
  "true",
  "null",
  "undefined",
  "[1]",
  "{}",
  "NaN",
  '"a"',
  "[]",
  "0",
  '""',
  "-0",
  "2n",
  '"2"',
  "1.5",
  "false",
  "({ valueOf() { return 1; } })",
  '({ toString() { return "a"; } })',
  "new Date(1)",
  "[[1]]",
  "[null]",
  '"\\n"',
  "2 ** 64",
  "2n ** 64n",
];

function mixedComparisons(g: Generator): string {
  const pairs = Array.from(
    { length: 5 },
    () => `${g.pick(COMPARED)} ${g.pick(["==", "!=", "<", ">", "<=", ">=", "===", "+"])} ${g.pick(COMPARED)}`,
  );
  return pairs.map((pair) => `try {\n${g.log(`(${pair})`)}\n} catch (error) {\n${g.log("error")}\n}`).join("\n");
}

function dateArithmetic(g: Generator): string {
  const d = g.fresh("d");
  return `const ${d} = ${g.expression("date")};\nconst ${d}b = new Date(${d});\n${d}b.${g.pick(["setUTCMonth(13)", "setDate(0)", "setHours(-1)", "setTime(NaN)", "setFullYear(2024, 1, 30)", "setMinutes(90, 61, 1001)", "setYear(99)"])};\n${g.log(`${d} - ${d}b`, `${d} + 1`, `${d} < ${d}b`, `${d} == ${d}b`, `+${d}b`, `JSON.stringify({ d: ${d} })`, `${d}b.toJSON()`, `String(${d}b)`, `[${d}b.getUTCDay(), ${d}b.getYear()]`, `new Date(${d}b.getTime() + 1).getMilliseconds()`)}`;
}
