import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";
import { randomArray, randomNumber, randomString } from "./random-values.ts";
import { randomRegExp, randomSubject } from "./regexp-source.ts";

/** Places where an implementation easily does something else: operands that change while others are evaluated, nested completions. */
export const hazardStatements: readonly Production[] = [
  { name: "changing operands", weight: 3, write: changingOperands },
  { name: "nested completions", weight: 3, when: (g) => g.functions < 2, write: nestedCompletions },
  { name: "captured in loops", weight: 2, when: (g) => g.loops < 2 && g.functions < 2, write: capturedInLoops },
  { name: "awaits in patterns", weight: 2, when: (g) => g.inAsync, write: awaitsInPatterns },
  { name: "random regular expression", weight: 3, write: regularExpression },
  { name: "random conversions", weight: 2, write: conversions },
  { name: "random sort", weight: 1, write: randomSort },
  { name: "array operations", weight: 3, write: arrayOperations },
  { name: "collection operations", weight: 2, write: collectionOperations },
  { name: "property attributes", weight: 2, write: propertyAttributes },
];

function changingOperands(g: Generator): string {
  const [x, o, f] = [g.fresh("x"), g.fresh("o"), g.fresh("f")];
  const change = (): string =>
    g.pick([
      `(${x} = ${leaf(g, "number")})`,
      `${x}++`,
      `++${x}`,
      `(${x} += 2)`,
      `${f}()`,
      `(${x} *= ${x})`,
      `(${o} = { n: ${x} }).n`,
      `(${x} ??= 1)`,
      `(${x} &&= ${x} - 1)`,
    ]);
  const operand = (): string =>
    g.chance(0.5) ? x : g.chance(0.5) ? change() : g.pick([`${o}.n`, String(g.random.below(9)), `-${x}`]);
  const operator = (): string => g.pick(["+", "-", "*", "%", "|", "<", "===", ">>", "&&", "||", "??"]);
  const mixed = (): string => `((${operand()}) ${operator()} (${operand()}))`;
  const line = (): string =>
    g.pick([
      () => g.log(mixed(), mixed(), x),
      () =>
        g.log(
          `[${operand()}, ${operand()}, ${operand()}]`,
          `{ a: ${operand()}, b: ${operand()}, [${operand()}]: ${operand()} }`,
        ),
      () => g.log(`\`\${${operand()}}-\${${operand()}}-\${${operand()}}\``),
      () => g.log(`((...all) => all)(${operand()}, ${operand()}, ${operand()})`),
      () => `${x} ${g.pick(["+=", "-=", "*=", "|="])} ${mixed()};\n${g.log(x)}`,
      () => `${o}.n = ${mixed()} + ${change()};\n${g.log(o)}`,
      () => `[${x}, ${o}.n] = [${operand()}, ${operand()}];\n${g.log(x, o)}`,
      () => `if (${mixed()}) ${x} = ${operand()};\nelse ${change()};\n${g.log(x)}`,
      () => g.log(`${operand()} ? ${operand()} : ${operand()}`, `(${operand()}, ${operand()})`),
      () => `{\nconst ${x}k = ${x}, ${x}l = ${change()};\n${g.log(`${x}k`, `${x}l`, x)}\n}`,
      () => (g.inAsync ? g.log(`${x} + (await (${change()}, ${x}))`, `[${x}, await ${change()}, ${x}]`) : g.log(x)),
    ])();
  const capture = g.chance(0.5) ? `() => ${x}` : `() => (${x} = ${x} + 1)`;
  return `let ${x} = ${leaf(g, "number")};\nlet ${o} = { n: 1 };\nconst ${f} = ${capture};\n${Array.from({ length: 4 }, line).join("\n")}`;
}

function nestedCompletions(g: Generator): string {
  const name = g.fresh("f");
  const isAsync = g.inAsync && g.chance(0.5);
  const exit = (): string =>
    g.pick([
      `return ${g.random.below(9)};`,
      `throw ${leaf(g, "error")};`,
      "break a;",
      "continue a;",
      "break b;",
      "continue b;",
      "break c;",
      "",
      "",
      g.log(),
      isAsync ? "await null;" : "",
      isAsync ? "return Promise.resolve(1);" : "return;",
    ]);
  const maybe = (): string =>
    g.chance(0.5)
      ? `if (n++ ${g.pick(["% 2 === 0", "> 3", "< 2", "!== 5"])}) { ${exit()} }`
      : g.chance(0.4)
        ? exit()
        : g.log("n");
  const nest = (depth: number): string => {
    if (depth === 0) return `${g.log()}\n${maybe()}`;
    const inner = (): string => `${g.chance(0.4) ? maybe() : ""}\n${nest(depth - 1)}\n${g.chance(0.3) ? maybe() : ""}`;
    return g.pick([
      () => `try {\n${inner()}\n} finally {\n${g.log()}\n${maybe()}\n}`,
      () =>
        `try {\n${inner()}\n} catch (e) {\n${g.log("e")}\n${maybe()}\n} finally {\n${g.chance(0.5) ? nest(depth - 1) : g.log()}\n}`,
      () => `try {\n${inner()}\n} catch {\n${nest(depth - 1)}\n}`,
      () => `for (const q of [1, 2]) {\n${g.log("q")}\n${nest(depth - 1)}\n${g.chance(0.2) ? "break;" : ""}\n}`,
      () =>
        `switch (n % 3) {\ncase 0:\n${inner()}\ndefault:\n${g.log()}\n${g.chance(0.5) ? "break;" : ""}\ncase 1:\n${maybe()}\n}`,
    ])();
  };
  const body = `let n = ${g.random.below(4)};\nlet rounds = 0;\na: while (rounds++ < 3) {\nb: for (let i = 0; i < 2 && rounds < 6; i++) {\nc: {\n${nest(3)}\n}\n${g.log("i", "n")}\n}\n}\nreturn ["end", n];`;
  return `${isAsync ? "async " : ""}function ${name}() {\n${body}\n}\ntry {\n${g.log(`${isAsync ? "await " : ""}${name}()`)}\n} catch (error) {\n${g.log("error")}\n}`;
}

function capturedInLoops(g: Generator): string {
  const [fs, i, s] = [g.fresh("fs"), g.fresh("i"), g.fresh("s")];
  const push = `${fs}.push(() => [${i}, ${s}], () => (${i}${g.pick(["++", " += 10", "--"])}));`;
  const wait = g.inAsync && g.chance(0.4) ? "await null;" : "";
  const exit = g.pick(["", `if (${i} === 1) continue;`, `if (${i} === 2) break;`]);
  const loop = g.pick([
    () => `for (let ${i} = 0; ${i} < 4; ${i}++) {\nlet ${s} = ${i} * 2;\n${exit}\n${push}\n${wait}\n${s}++;\n}`,
    () => `for (let ${i} of [0, 1, 2, 3]) {\nconst ${s} = [${i}];\n${push}\n${wait}\n${exit}\n${s}.push(${i});\n}`,
    () => `let ${i} = 0;\nwhile (${i} < 3) {\nlet ${s} = ${i}++;\n${push}\n${wait}\n}`,
    () => `for (let ${i} = 0, ${s} = 10; ${i} < 3; ${i}++, ${s}--) {\n${push}\n${wait}\n${exit}\n}`,
    () => `for (let [${i}, ${s}] of Object.entries({ a: 1, b: 2 })) {\n${fs}.push(() => [${i}, ${s}++]);\n${wait}\n}`,
    () =>
      `try {\nfor (let ${i} = 0; ${i} < 3; ${i}++) {\nvar ${s} = ${i};\n${push}\nif (${i} === 1) throw ${i};\n}\n} catch (${s}) {\n${fs}.push(() => ${s}, () => ${s}++);\n}`,
  ])();
  return `const ${fs} = [];\n${loop}\n${g.log(`${fs}.map((f) => f())`, `${fs}.map((f) => f())`)}`;
}

function awaitsInPatterns(g: Generator): string {
  const [a, o] = [g.fresh("a"), g.fresh("o")];
  const value = (): string =>
    `await ${g.pick([() => `${g.pick(g.module.actions)}(${leaf(g, "number")})`, () => `Promise.resolve(${leaf(g, "string")})`, () => "null"])()}`;
  const text = g.pick([
    () => `const { [${value()}]: ${a} = ${value()}, ...${a}r } = { x: 1, null: ${value()} };\n${g.log(a, `${a}r`)}`,
    () => `const [${a} = ${value()}, { b: ${a}b = ${value()} } = {}] = [${value()}];\n${g.log(a, `${a}b`)}`,
    () => `const ${o} = {};\n[${o}[${value()}], ${o}.y = ${value()}] = [${value()}];\n${g.log(o)}`,
    () =>
      `const ${o} = { list: [] };\n({ k: ${o}.list[${o}.list.length] = ${value()}, ...${o}.rest } = { z: ${value()} });\n${g.log(o)}`,
    () =>
      `for (const [${a}, ${a}v = ${value()}] of Object.entries({ p: undefined, q: ${value()} })) ${g.log(a, `${a}v`)}`,
    () =>
      `const ${o} = { n: 1 };\n${o}.n += ${value()};\n${o}[${value()}] ??= ${value()};\n(${o}.m ||= {}).k = ${value()};\n${g.log(o)}`,
    () =>
      `const ${o} = { m(...args) { return [this === ${o}, args]; } };\n${g.log(`${o}.m(${value()}, ...[${value()}])`, `${o}[${value()}]?.(1)`, `${o}?.m?.(${value()})`)}`,
    () => `const ${a} = new Error(${value()}, { cause: ${value()} });\n${g.log(`${a}.cause`)}`,
  ])();
  return `try {\n${text}\n} catch (error) {\n${g.log("error")}\n}`;
}

function regularExpression(g: Generator): string {
  const { source, flags } = randomRegExp(g.random);
  const [name, text] = [g.fresh("re"), g.fresh("t")];
  // V8 of Node.js 20 shows captures of alternatives that did not match, as matchAll() does not, nor do later versions.
  const isMiscounted = /[uv]/.test(flags) && flags.includes("g");
  const replacements = [
    `${text}.replace(${name}, "<$&|$1|$2|$<n0>|$\`|$'>")`,
    `${text}.replace(${name}, (...all) => JSON.stringify(all))`,
  ];
  const uses = [
    ...(isMiscounted ? [] : replacements),
    `${name}.exec(${text})`,
    `${name}.lastIndex`,
    `${name}.test(${text})`,
    `${text}.match(${name})`,
    `${text}.search(${name})`,
    `${text}.split(${name})`,
    `${text}.split(${name}, 3)`,
    flags.includes("g") ? `[...${text}.matchAll(${name})].map((found) => [found.index, ...found])` : `String(${name})`,
    `${name}.exec(${text})?.groups?.n0`,
    `${name}.exec(${text})?.indices`,
  ];
  return `try {\nconst ${name} = new RegExp(${JSON.stringify(source)}, ${JSON.stringify(flags)});\nconst ${text} = ${JSON.stringify(randomSubject(g.random))};\n${g.log(...g.random.shuffle(uses).slice(0, 6))}\n} catch (error) {\n${g.log("error")}\n}`;
}

function conversions(g: Generator): string {
  const { random } = g;
  const n = (): string => `(${randomNumber(random)})`;
  const s = (): string => randomString(random);
  const use = (): string =>
    g.pick([
      () => `${n()}.toString(${2 + random.below(35)})`,
      () => `${n()}.toFixed(${random.below(25)})`,
      () => `${n()}.toPrecision(${1 + random.below(30)})`,
      () => `${n()}.toExponential(${random.below(20)})`,
      () => `String(${n()})`,
      () => `Number(${s()})`,
      () => `parseFloat(${s()})`,
      () => `parseInt(${s()}, ${random.below(37)})`,
      () =>
        `Math.${g.pick(["sin", "cos", "tan", "exp", "log", "log2", "log10", "log1p", "expm1", "atan", "asinh", "cbrt", "sqrt", "tanh", "fround", "clz32", "acos", "round", "sinh", "cosh", "atanh", "acosh", "asin"])}(${n()})`,
      () => `Math.${g.pick(["atan2", "pow", "hypot", "imul", "max"])}(${n()}, ${n()})`,
      () => `${n()} ${g.pick(["%", "**", "|", ">>>", "<<", "^", "*", "/"])} ${n()}`,
      () =>
        `${s()}.${g.pick(["toUpperCase()", "toLowerCase()", "trim()", 'normalize("NFD")', 'normalize("NFKC")', "isWellFormed()", "toWellFormed()", "length", "at(-1)", "codePointAt(1)"])}`,
      () => `encodeURIComponent(${s()})`,
      () => `JSON.stringify(${s()})`,
      () => `[...${s()}]`,
      () => `new Date(${n()})`,
      () => `Date.parse(${s()})`,
      () => `BigInt.asIntN(${random.below(70)}, BigInt(Math.trunc(${n()})))`,
      () => `${s()} < ${s()}`,
      () => `btoa(${s()})`,
      () => `new TextEncoder().encode(${s()})`,
      () => `new URL("https://h.example/" + ${s()}).href`,
      () => `new URLSearchParams(${s()}).toString()`,
      () => `${s()}.split(${randomString(random, 1)})`,
    ])();
  const lines = Array.from(
    { length: 3 },
    () =>
      `try {\n${g.log(use())}\n} catch (error) {\n${g.log("error instanceof RangeError", "error.constructor.name")}\n}`,
  );
  return lines.join("\n");
}

function randomSort(g: Generator): string {
  const [list, calls] = [g.fresh("list"), g.fresh("calls")];
  const comparator = g.pick([
    "(a, b) => a - b",
    "(a, b) => (a < b ? -1 : a > b ? 1 : 0)",
    "(a, b) => (b > a ? 1 : -1)",
    "() => -1",
    "(a, b) => (String(a) > String(b))",
    "(a, b) => String(a).length - String(b).length",
  ]);
  return `const ${list} = ${randomArray(g.random)};\nlet ${calls} = "";\nconst ${list}s = [...${list}].sort((a, b) => {\n${calls} += \`\${String(a)},\${String(b)};\`;\nreturn (${comparator})(a, b);\n});\n${g.log(`${list}s`, calls, `${list}.toSorted()`)}`;
}

function arrayOperations(g: Generator): string {
  const list = g.fresh("list");
  const integrity = g.pick(["freeze", "seal", "preventExtensions"]);
  const k = (): string => String(g.random.below(8) - 2);
  const step = (): string =>
    g.pick([
      () => `${list}[${g.random.below(8)}] = ${leaf(g, "any")};`,
      () => `${list}.length = ${g.random.below(7)};`,
      () => `delete ${list}[${g.random.below(5)}];`,
      () => `${list}.${g.pick(["push", "unshift"])}(${leaf(g, "any")}, ${k()});`,
      () =>
        g.log(
          `${list}.${g.pick(["pop()", "shift()", "reverse()", `splice(${k()}, ${k()}, 8, 9)`, `copyWithin(${k()}, ${k()}, ${k()})`, `fill(0, ${k()}, ${k()})`, "sort()"])}`,
        ),
      () =>
        g.log(
          `${list}.${g.pick([`slice(${k()}, ${k()})`, `indexOf(${k()})`, `includes(undefined)`, `lastIndexOf(${k()}, ${k()})`, "flat()", `at(${k()})`, `concat(${list})`, `join("|")`, `toSpliced(${k()}, ${k()})`, "entries().next()", "findLast((x) => x)", "reduceRight((a, b) => [a, b], 0)"])}`,
        ),
      () => g.log(`Object.keys(${list})`, `${list}.length`, `${g.random.below(6)} in ${list}`),
      () => `${list}[${g.pick(['"x"', '"-1"', '"01"', "1.5", '"4294967295"'])}] = ${k()};`,
      () => `for (const [i, x] of ${list}.entries()) { if (i > 12) break; ${g.log("i", "x")} }`,
      // One of them per array: V8 leaves the length of an empty array writable when it is frozen after preventExtensions.
      () => `Object.${integrity}(${list});`,
      () =>
        g.log(`${list}.map((x, i) => [x, i])`, `${list}.filter(() => true)`, `${list}.some((x) => x === undefined)`),
    ])();
  return `const ${list} = ${g.pick(["[1, 2, 3]", "[, 1, , 2]", "[]", "new Array(3)", randomArray(g.random)])};\n${Array.from({ length: 6 }, () => `try {\n${step()}\n} catch (error) {\n${g.log("error")}\n}`).join("\n")}\n${g.log(list)}`;
}

function collectionOperations(g: Generator): string {
  const [c, it] = [g.fresh("c"), g.fresh("it")];
  const isMap = g.chance(0.5);
  const key = (): string => g.pick(["1", "2", "3", '"1"', "NaN", "-0", "0", "null", "undefined"]);
  const step = (): string =>
    g.pick([
      () => (isMap ? `${c}.set(${key()}, ${leaf(g, "any")});` : `${c}.add(${key()});`),
      () => g.log(`${c}.delete(${key()})`, `${c}.has(${key()})`, `${c}.size`),
      () => g.log(`${it}.next()`),
      () => g.log(`[...${c}]`),
      () => `${c}.clear();`,
      () => (isMap ? g.log(`${c}.get(${key()})`) : g.log(`${c}.has(${key()})`)),
      () => `${c}.forEach((value, key) => {\n${g.log("value", "key")}\n${c}.delete(2);\n});`,
    ])();
  return `const ${c} = ${isMap ? 'new Map([[1, "a"], [2, "b"]])' : "new Set([1, 2, 3])"};\nconst ${it} = ${c}.${g.pick(["entries", "keys", "values"])}();\n${Array.from({ length: 8 }, step).join("\n")}\n${g.log(`[...${it}]`, `${it}.next()`, c)}`;
}

function propertyAttributes(g: Generator): string {
  const o = g.fresh("o");
  const key = (): string => g.pick(['"a"', '"b"', '"h"', '"1"', '"10"', '"new"']);
  const step = (): string =>
    g.pick([
      () => `${o}[${key()}] = ${leaf(g, "any")};`,
      () => g.log(`delete ${o}[${key()}]`),
      () =>
        `Object.defineProperty(${o}, ${key()}, { value: ${leaf(g, "number")}${g.pick(["", ", enumerable: true", ", writable: true", ", configurable: true", ", enumerable: true, writable: true, configurable: true"])} });`,
      () => `Object.${g.pick(["freeze", "seal", "preventExtensions"])}(${o});`,
      () => g.log(`Object.keys(${o})`, `JSON.stringify(${o})`, `{ ...${o} }`, `${key()} in ${o}`),
      () =>
        g.log(
          `Object.getOwnPropertyDescriptor(${o}, ${key()})`,
          `Object.getOwnPropertyNames(${o})`,
          `${o}.propertyIsEnumerable(${key()})`,
        ),
      () =>
        g.log(`Object.isFrozen(${o})`, `Object.isSealed(${o})`, `Object.isExtensible(${o})`, `Object.entries(${o})`),
      () => `for (const k in ${o}) ${g.log("k")}`,
      () => `Object.assign(${o}, { a: 7, h: 8 });`,
      () => g.log(`(({ a, ...rest }) => [a, rest])(${o})`),
    ])();
  return `const ${o} = { a: 1, b: { c: 2 }, 10: "x" };\n${Array.from({ length: 7 }, () => `try {\n${step()}\n} catch (error) {\n${g.log("error")}\n}`).join("\n")}\n${g.log(o)}`;
}
