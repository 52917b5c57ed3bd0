import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";

/** Errors that the language itself throws, and corners that are easily forgotten. */
export const edgeStatements: readonly Production[] = [
  { name: "uninitialised", weight: 2, write: uninitialised },
  { name: "uninitialised write", weight: 1, write: uninitialisedWrite },
  { name: "constant assignment", weight: 1, write: constantAssignment },
  { name: "language errors", weight: 2, write: languageErrors },
  { name: "conversion order", weight: 1, write: conversionOrder },
  { name: "property order", weight: 1, write: propertyOrder },
  {
    name: "holes",
    weight: 1,
    write: (g) =>
      g.log(
        "[1, , 3].map((x) => x)",
        "[, 1].indexOf(undefined)",
        "[, 1].includes(undefined)",
        "0 in [, 1]",
        "[...[, 1]]",
        `[, ${leaf(g, "number")}].length`,
      ),
  },
  {
    name: "numbers",
    weight: 1,
    write: (g) =>
      g.log(
        "0 / 0",
        "-0 === 0",
        "Object.is(-0, 0)",
        "1 / -0",
        "0.1 + 0.2",
        "2 ** 53 + 1",
        "(-8) % 3",
        `${leaf(g, "number")} | 0`,
        "5 >>> -1",
        "1 << 33",
      ),
  },
  { name: "error fields", weight: 1, when: (g) => g.module.errorClasses.length > 0, write: errorFields },
  {
    name: "aggregate",
    weight: 1,
    write: (g) =>
      `try { throw new AggregateError([${leaf(g, "error")}, 1], "§many", { cause: 2 }); } catch (error) { ${g.log("error", "error.errors", "error.cause")} }`,
  },
  {
    name: "frozen table",
    weight: 1,
    write: (g) =>
      g.log(
        "TABLE.list.map((x) => x + 1)",
        "TABLE.nested?.deep",
        "Object.entries(TABLE).length",
        "Object.keys(TABLE_OF_ACTIONS)",
      ),
  },
  {
    name: "frozen writes",
    weight: 1,
    write: (g) =>
      `try { const frozen = Object.freeze({ a: 1, list: [] }); frozen.list.push(1); ${g.pick(["frozen.a = 2;", "delete frozen.a;", "frozen.b = 1;", "Object.defineProperty(frozen, 'a', { value: 3 });"])} } catch (error) { ${g.log("error")} }`,
  },
  { name: "cycle", weight: 1, write: cycle },
  { name: "dates", weight: 1, write: dates },
  { name: "regular expression state", weight: 1, write: regexpState },
  {
    name: "chance and time",
    weight: 1,
    write: (g) =>
      g.log(
        "Math.random() < 1",
        "typeof crypto.randomUUID()",
        "Date.now()",
        "new Date()",
        "typeof Date()",
        "crypto.randomUUID().length",
      ),
  },
  { name: "inner types", weight: 1, write: innerTypes },
  {
    name: "console methods",
    weight: 1,
    write: (g) =>
      g.pick(["console.info", "console.warn", "console.error", "console.debug", "console.table", "console.assert"]) +
      `(${g.any()}, ${g.any()});`,
  },
];

function uninitialised(g: Generator): string {
  const [name, read] = [g.fresh("late"), g.fresh("read")];
  const use = g.pick([name, `typeof ${name}`, `${name} + 1`, `(() => ${name})()`, `${read}()`]);
  return `try {\nconst ${read} = () => ${name};\n${g.log(use)}\n${g.pick(["let", "const"])} ${name} = ${g.any()};\n${g.log(`${read}()`)}\n} catch (error) {\n${g.log("error")}\n}`;
}

function uninitialisedWrite(g: Generator): string {
  const [name, use] = [g.fresh("late"), g.fresh("use")];
  const write = (): string =>
    g.pick([
      `${name} = 1;`,
      `${name}++;`,
      `${name} ??= 1;`,
      `${name} += 2;`,
      `[${name}] = [3];`,
      `({ ${name} } = {});`,
    ]);
  const [inner, outer] = [write(), g.chance(0.5) ? `${name} = ${leaf(g, "number")};` : write()];
  const tried = (text: string): string => `try {\n${text}\n} catch (error) {\n${g.log("error")}\n}`;
  return `{\nconst ${use} = () => {\n${inner}\nreturn ${name};\n};\n${tried(outer)}\n${tried(g.log(`${use}()`))}\nlet ${name} = ${leaf(g, "number")};\n${outer}\n${g.log(`${use}()`, name)}\n}`;
}

function constantAssignment(g: Generator): string {
  const name = g.fresh("fixed");
  const write = g.pick([
    () => `${name} = (${g.log().slice(0, -1)}, 2);`,
    () => `${name}++;`,
    () => `${name} += ${g.any()};`,
    () => `[${name}] = [1];`,
    () => `({ a: ${name} } = { a: 1 });`,
    () => `${name} ??= 1;`,
    () => `${name} &&= 2;`,
    () => `for (${name} of [1, 2]) ${g.log()}`,
    () => `(() => { ${name} = 3; })();`,
  ])();
  return `const ${name} = ${g.pick(["1", "null", '"x"'])};\ntry {\n${write}\n} catch (error) {\n${g.log("error", name)}\n}`;
}

function languageErrors(g: Generator): string {
  const cause = g.pick([
    "null.a",
    "undefined[0]",
    "(void 0).b.c",
    "null.f()",
    "({}).f()",
    "({ a: 1 }).a()",
    "(5)()",
    '"text"()',
    "[].x.y",
    "1n + 1",
    "+1n",
    "Math.max(1n)",
    "new (5)()",
    "({}) instanceof 5",
    '"a" in "b"',
    "[...5]",
    "[...null]",
    "new Map([1])",
    "[].reduce((a) => a)",
    "'x'.repeat(-1)",
    "(1).toFixed(101)",
    "new Array(-1)",
    "BigInt(1.5)",
    "JSON.parse('{')",
    "decodeURIComponent('%')",
    "new Date(NaN).toISOString()",
    "null.a.b = 1",
    "const [[a]] = [null]",
    "({ ...null }).a.b",
    "structuredClone(Promise.resolve(1))",
    "new RegExp('(')",
    "[].at.call(null)",
    "Object.defineProperty(1, 'a', {})",
    "({ toString() { return {}; }, valueOf() { return {}; } }) + ''",
    "5n / 0n",
    "2n ** -1n",
    "BigInt('x')",
    "1n >>> 0n",
    "Object.fromEntries([1])",
    "'abc'.matchAll(/a/)",
    "'abc'.replaceAll(/a/, '')",
    "Object.entries(null)",
    "new Promise(1)",
    "String.fromCodePoint(-1)",
    "'x'.normalize('y')",
    "new URL('nope')",
    "atob('*')",
  ]);
  const text = cause.startsWith("const") ? `${cause};` : g.log(cause);
  return `try {\n${text}\n} catch (error) {\n${g.log("error")}\n}`;
}

function conversionOrder(g: Generator): string {
  const [left, right] = [g.fresh("l"), g.fresh("r")];
  const operator = g.pick(["+", "-", "*", "<", ">", "==", "<=", "%", "**", "&"]);
  const make = (name: string): string =>
    `const ${name} = { valueOf() { ${g.log()} return ${g.pick(["1", '"1"', "{}", "true", "NaN"])}; }, toString() { ${g.log()} return "s"; } };`;
  return `${make(left)}\n${make(right)}\n${g.log(`${left} ${operator} ${right}`, `\`\${${left}}\``, `${left} + ""`, `[${left}] + 1`, `({ [${right}]: 1 })`)}`;
}

function errorFields(g: Generator): string {
  const name = g.pick(g.module.errorClasses);
  const error = g.fresh("err");
  return `const ${error} = new ${name}("§${g.fresh("m")}", ${g.any()});\n${error}.extra = ${g.any()};\n${g.log(error, `${error}.name`, `${error}.message`, `${error} instanceof Error`, `Object.keys(${error})`, `String(${error})`, `${error}.constructor.name`)}`;
}

function regexpState(g: Generator): string {
  const name = g.fresh("re");
  return `const ${name} = /${g.pick(["a", "(o)(.)?", "\\\\w+", "x*", "[aeiou]"]).replaceAll("\\\\", "\\")}/${g.pick(["g", "y", "gi", "", "gd"])};\n${g.log(`${name}.test(${g.expression("string")})`, `${name}.lastIndex`, `${name}.exec("foo bar")?.[0]`, `${name}.lastIndex`, `"banana".split(${name})`, `"banana".search(${name})`)}`;
}

function propertyOrder(g: Generator): string {
  const name = g.fresh("po");
  return `const ${name} = { ...${g.expression("object")} };\n${name}[2] = 1;\n${name}.z = 2;\n${name}[1] = 3;\ndelete ${name}.a;\n${name}.a = 4;\n${g.log(`Object.keys(${name})`, `JSON.stringify(${name})`)}`;
}

/** Values that contain themselves, and the same value in two places. */
function cycle(g: Generator): string {
  const name = g.fresh("ring");
  return `const ${name} = { list: [], twin: ${leaf(g, "object")} };\n${name}.self = ${name};\n${name}.list.push(${name}.twin, ${name}.twin, ${name});\n${g.log(name, `${name}.self.self.list[0] === ${name}.twin`)}`;
}

function dates(g: Generator): string {
  const name = g.fresh("day");
  return `const ${name} = ${g.expression("date")};\n${name}.setUTCDate(${name}.getUTCDate() + 30);\n${name}.setHours(25, 61);\n${g.log(name, `${name}.toISOString()`, `${name} - new Date(0)`, `\`\${${name}}\``)}`;
}

/** Declarations that leave nothing behind. */
function innerTypes(g: Generator): string {
  const name = g.fresh("over");
  return `interface I${name} { a: number }\ntype T${name} = string | number;\nfunction ${name}(x: string): void;\nfunction ${name}(x: number): void;\nfunction ${name}(x: unknown) {\n${g.log("x")}\n}\n${name}(${g.any()});`;
}
