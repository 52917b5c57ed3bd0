import type { Generator, Production, Type } from "./generator.ts";

export const loopStatements: readonly Production[] = [
  { name: "for", weight: 3, when: canLoop, write: forLoop },
  { name: "for with closures", weight: 2, when: canLoop, write: forWithClosures },
  { name: "for without head", weight: 1, when: canLoop, write: forWithoutHead },
  { name: "for of", weight: 3, when: canLoop, write: forOf },
  { name: "for of pattern", weight: 1, when: canLoop, write: forOfPattern },
  { name: "for of target", weight: 1, when: canLoop, write: forOfTarget },
  { name: "for in", weight: 2, when: canLoop, write: forIn },
  { name: "for in target", weight: 1, when: canLoop, write: forInTarget },
  {
    name: "for const",
    weight: 1,
    when: canLoop,
    write: (g) => `for (const ${g.fresh("once")} = ${g.any()}; ; ) {\n${g.inLoop(() => g.block(1))}\nbreak;\n}`,
  },
  { name: "while", weight: 2, when: canLoop, write: whileLoop },
  { name: "do while", weight: 2, when: canLoop, write: doWhile },
  { name: "mutated while iterated", weight: 1, when: canLoop, write: mutatedIteration },
  { name: "numeric loop", weight: 1, when: canLoop, write: numericLoop },
];

/** Three loops inside each other, of four rounds each, stay short. */
function canLoop(g: Generator): boolean {
  return g.loops < 2 && g.functions < 3;
}

function body(g: Generator): string {
  const own = g.block();
  const jump = g.chance(0.3) ? `if (${g.expression("boolean")}) ${g.pick(["break", "continue"])};\n` : "";
  return `${jump}${own}`;
}

function forLoop(g: Generator): string {
  const i = g.fresh("i");
  return g.inLoop(() => {
    g.declare(i, "number", false);
    const head = g.pick([
      `let ${i} = 0; ${i} < 3; ${i}++`,
      `let ${i} = 3; ${i} > 0; --${i}`,
      `let ${i} = 0, ${i}n = 2; ${i} <= ${i}n; ${i} += 1`,
      `var ${i} = 0; ${i} !== 2; ${i}++`,
    ]);
    return `for (${head}) {\n${body(g)}\n}`;
  });
}

/** Each iteration has its own binding, and the closures remember it. */
function forWithClosures(g: Generator): string {
  const i = g.fresh("i");
  const list = g.fresh("fs");
  const inner = g.inLoop(() => {
    g.declare(i, "number", false);
    return g.block(1);
  });
  const head = g.pick([
    `let ${i} = 0, ${i}f = () => ${i}; ${i} < 3; ${list}.push(${i}f), ${i}++`,
    `let ${i} = 0; (${list}.push(() => ${i}), ${i} < 2); ${i}++`,
    `let ${i} = 0; ${i} < 3; ${i}++`,
    `var ${i} = 0; ${i} < 3; ${i}++`,
  ]);
  const change = g.chance(0.3) ? `if (${i} === 1) ${i} += 1;` : "";
  return `const ${list} = [];\nfor (${head}) {\n${list}.push(() => ${i}, () => ${i} * 10);\n${change}\n${inner}\n}\n${g.log(`${list}.map((f) => f())`)}`;
}

function forWithoutHead(g: Generator): string {
  const i = g.fresh("i");
  return g.scoped(() => {
    const own = g.inLoop(() => g.block());
    const text = g.pick([
      `let ${i} = 0;\nfor (;;) {\nif (${i}++ >= 2) break;\n${own}\n}`,
      `let ${i} = 0;\nfor (; ${i} < 3; ) {\n${i} += 1;\n${own}\n}`,
      `let ${i};\nfor (${i} = 2; ; ${i}--) {\nif (${i} < 0) break;\n${own}\n}`,
      `for (const ${i} = { n: 0 }; ${i}.n < 2; ${i}.n++) {\n${own}\n}`,
    ]);
    return `{\n${text}\n}`;
  });
}

function forOf(g: Generator): string {
  const item = g.fresh("x");
  const type = g.pick(["array", "string", "set", "map"] as const);
  const itemType: Type = type === "string" ? "string" : "any";
  const kind = g.pick(["const", "let", "var"]);
  const source = `${g.expression(type)}${type === "array" ? g.pick(["", "", ".entries()", ".keys()", ".values()"]) : type === "map" ? g.pick(["", ".values()"]) : ""}`;
  return g.inLoop(() => {
    g.declare(item, itemType, kind === "let");
    return `for (${kind} ${item} of ${source}) {\n${body(g)}\n}`;
  });
}

function forOfPattern(g: Generator): string {
  const [a, b] = [g.fresh("x"), g.fresh("x")];
  const source = g.expression("map");
  return g.inLoop(() => {
    g.declare(a, "any");
    g.declare(b, "any");
    return g.pick([
      () => `for (let [${a}, ${b} = 1] of ${source}) {\n${body(g)}\n}`,
      () => `for (let { k: ${a} = 0, ...${b} } of [{ k: 1 }, { j: 2 }, {}]) {\n${body(g)}\n}`,
    ])();
  });
}

function forOfTarget(g: Generator): string {
  const name = g.fresh("t");
  const own = g.inLoop(() => g.block(1));
  return `const ${name} = {};\nfor (${name}.item of ${g.expression("array")}) {\n${own}\n}\nfor ({ a: ${name}.a = 5 } of [{ a: 1 }, {}]) ${g.log(`${name}.a`)}\nfor ([${name}["p"]] of ["xy", "z"]) {}\n${g.log(name)}`;
}

function forIn(g: Generator): string {
  const key = g.fresh("k");
  const source = g.pick([
    () => g.expression("object"),
    () => g.expression("array"),
    () => g.expression("string"),
    () => g.pick(["null", "undefined", "5"]),
  ])();
  const kind = g.pick(["const", "let", "var"]);
  return g.inLoop(() => {
    g.declare(key, "string", kind === "let");
    return `for (${kind} ${key} in ${source}) {\n${body(g)}\n}`;
  });
}

function forInTarget(g: Generator): string {
  const name = g.fresh("t");
  return `const ${name} = { keys: [] };\nfor (${name}.key in ${g.expression("object")}) ${name}.keys.push(${name}.key);\nfor ([${name}.first] in ${g.expression("object")}) ${g.log(`${name}.first`)}\nlet ${name}k;\nfor (${name}k in ${g.expression("array")}) ;\n${g.log(name, `${name}k`)}`;
}

function whileLoop(g: Generator): string {
  const n = g.fresh("n");
  const own = g.inLoop(() => body(g));
  return `let ${n} = ${g.pick(["2", "3"])};\nwhile (${n}-- > 0${g.chance(0.4) ? ` && ${g.expression("boolean")}` : ""}) {\n${own}\n}`;
}

function doWhile(g: Generator): string {
  const n = g.fresh("n");
  const own = g.inLoop(() => body(g));
  return `let ${n} = 0;\ndo {\n${own}\n} while (++${n} < ${g.pick(["1", "2", "3"])}${g.chance(0.4) ? ` && ${g.expression("boolean")}` : ""});`;
}

function mutatedIteration(g: Generator): string {
  const [name, item] = [g.fresh("c"), g.fresh("x")];
  return g.pick([
    () =>
      `const ${name} = new Map([[1, "a"], [2, "b"], [3, "c"]]);\nfor (const [${item}, value] of ${name}) {\n${g.log(item, "value")}\nif (${item} === 1) { ${name}.delete(2); ${name}.set(4, ${g.any()}); }\nif (${item} === 4) ${name}.delete(1), ${name}.size < 5 && ${name}.set(5, "e");\n}`,
    () =>
      `const ${name} = new Set([1, 2, 3]);\n${name}.forEach((${item}) => {\n${g.log(item)}\n${name}.delete(${item});\nif (${item} < 3) ${name}.add(${item} + 5);\n});`,
    () =>
      `const ${name} = [1, 2, 3];\nfor (const ${item} of ${name}) {\n${g.log(item)}\nif (${name}.length < 6) ${name}.push(${item} * 2);\nif (${item} === 2) ${name}.shift();\n}`,
    () =>
      `const ${name} = { a: 1, b: 2, c: 3 };\nfor (const ${item} in ${name}) {\n${g.log(item)}\ndelete ${name}.b;\n${name}.z = 1;\n}`,
  ])();
}

function numericLoop(g: Generator): string {
  const [s, i] = [g.fresh("s"), g.fresh("i")];
  g.declare(s, "number");
  return `let ${s} = ${g.expression("number")};\nfor (let ${i} = 0; ${i} < ${g.pick(["5", "20"])}; ${i}++) ${s} = (${s} ${g.pick(["+", "-", "^", "|"])} ${i} * ${g.pick(["2", "0.5", "-3"])}) ${g.pick(["%", "&", "/"])} ${g.pick(["1000003", "7", "255"])};\n${g.log(s)}`;
}
