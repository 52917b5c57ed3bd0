import type { Generator, Production, Type } from "./generator.ts";
import { leaf } from "./literals.ts";

export const functionStatements: readonly Production[] = [
  { name: "function", weight: 3, when: canNest, write: declareFunction },
  { name: "arrow", weight: 2, when: canNest, write: declareArrow },
  { name: "counter closure", weight: 2, when: canNest, write: counterClosure },
  { name: "hoisted function", weight: 1, when: canNest, write: hoisted },
  { name: "recursion", weight: 1, when: canNest, write: recursion },
  { name: "parameters", weight: 3, when: canNest, write: parameters },
  { name: "object methods", weight: 2, when: canNest, write: objectMethods },
  { name: "call apply bind", weight: 1, when: canNest, write: callApplyBind },
  { name: "named function expression", weight: 1, when: canNest, write: namedExpression },
  { name: "function in block", weight: 1, when: canNest, write: inBlock },
  {
    name: "function properties",
    weight: 1,
    write: (g) =>
      g.log(
        "((a, b = 1, c) => a).length",
        "(function (...r) {}).length",
        "(({ a }, [b]) => a).length",
        "(async () => {}).name",
      ),
  },
];

function canNest(g: Generator): boolean {
  return g.functions < 2;
}

function functionBody(g: Generator, names: readonly string[], options: { async: boolean; hasThis?: boolean }): string {
  return g.inFunction({ hasThis: false, ...options }, () => {
    for (const name of names) g.declare(name, "any");
    return `${g.lines(1 + g.random.below(2))}\nreturn ${g.any()};`;
  });
}

function declareFunction(g: Generator): string {
  const [name, a, b] = [g.fresh("f"), g.fresh("p"), g.fresh("p")];
  const isAsync = g.inAsync && g.chance(0.3);
  const body = functionBody(g, [a, b], { async: isAsync });
  const call = isAsync ? `await ${name}(${g.any()})` : `${name}(${g.any()}, ${g.any()})`;
  return `${isAsync ? "async " : ""}function ${name}(${a}, ${b}${g.chance(0.5) ? ` = ${leaf(g, "number")}` : ""}) {\n${body}\n}\n${guarded(g, g.log(call))}`;
}

function declareArrow(g: Generator): string {
  const [name, a] = [g.fresh("f"), g.fresh("p")];
  const isAsync = g.inAsync && g.chance(0.3);
  const body = functionBody(g, [a], { async: isAsync });
  const call = `${isAsync ? "await " : ""}${name}(${g.any()})`;
  return `const ${name} = ${isAsync ? "async " : ""}(${a}) => {\n${body}\n};\n${guarded(g, g.log(call, `${name}.name`))}`;
}

function guarded(g: Generator, text: string): string {
  return g.chance(0.5) ? text : `try {\n${text}\n} catch (error) {\n${g.log("error")}\n}`;
}

function counterClosure(g: Generator): string {
  const [make, n] = [g.fresh("make"), g.fresh("n")];
  const step = g.inFunction({ async: false }, () => {
    g.declare(n, "number");
    return g.block(1);
  });
  return `const ${make} = () => {\nlet ${n} = 0;\nreturn { up: () => ++${n}, down() { ${step}\nreturn ${n}--; }, read: () => ${n} };\n};\nconst ${make}a = ${make}();\nconst ${make}b = ${make}();\n${make}a.up();\n${g.log(`${make}a.up()`, `${make}a.down()`, `${make}b.up()`, `${make}a.read()`, `${make}b.read()`)}`;
}

function hoisted(g: Generator): string {
  const name = g.fresh("h");
  const body = functionBody(g, ["x"], { async: false });
  return `${g.log(`typeof ${name}`, `${name}.length`)}\n${guarded(g, g.log(`${name}(${g.any()})`))}\nfunction ${name}(x) {\n${body}\n}`;
}

function recursion(g: Generator): string {
  const name = g.fresh("r");
  const isAsync = g.inAsync && g.chance(0.4);
  const inner = g.inFunction({ async: isAsync, hasThis: false }, () => {
    g.declare("n", "number", false);
    return g.block(1);
  });
  return `${isAsync ? "async " : ""}function ${name}(n, trail = []) {\nif (n <= 0) return trail;\n${inner}\nreturn ${isAsync && g.chance(0.5) ? "await " : ""}${name}(n - 1, [...trail, n]);\n}\n${g.log(`${isAsync ? "await " : ""}${name}(${g.pick(["2", "3", "4"])})`)}`;
}

/** Default values in order, with the scope of the parameters before them. */
function parameters(g: Generator): string {
  const name = g.fresh("f");
  const values: readonly Type[] = ["number", "string", "object"];
  const [list, names] = g.pick<() => readonly [string, string]>([
    () => ["a, b = a, c = () => [a, b]", "a, b, c()"],
    () => [`a = (${g.log().slice(0, -1)}, ${leaf(g, "number")}), { x = a, ...y } = {}, [z = x] = []`, "a, x, y, z"],
    () => ["{ a = 1, b: { c = a } = {} } = {}, ...rest", "a, c, rest"],
    () => [`[a, , b = ${leaf(g, "string")}] = [1, 2], ...[c, d]`, "a, b, c, d"],
    () => ["a, b = (() => a)(), c = b", "a, b, c"],
    () => ["a = b, b = 1", "a, b"],
    () => ["a: any, b?: number, ...c: any[]", "a, b, c"],
  ])();
  const args = Array.from({ length: g.random.below(3) }, () =>
    g.pick(["undefined", g.expression(g.pick(values)), "[5, 6]", "{ x: 1, w: 2 }"]),
  );
  return `function ${name}(${list}) {\nreturn [${names}];\n}\ntry {\n${g.log(`${name}(${args.join(", ")})`, `${name}.length`)}\n} catch (error) {\n${g.log("error")}\n}`;
}

function objectMethods(g: Generator): string {
  const name = g.fresh("o");
  const body = functionBody(g, ["x"], { async: false, hasThis: true });
  const isAsync = g.inAsync;
  const call = g.pick([
    `${name}.m(${g.any()})`,
    `${name}["m"](1)`,
    `${name}?.m?.(2)`,
    `(0, ${name}.m)(3)`,
    `(${name}.m)(4)`,
    `${name}.m.call({ a: 9 }, 1)`,
    `${name}.arrow()()`,
    isAsync ? `await ${name}.later()` : "1",
  ]);
  return `const ${name} = {\na: 1, b: { c: 2 }, k: "k",\nm(x) {\n${body}\n},\narrow() { return () => this.a; },\nasync later() { await null; return this.k; },\n["comp" + 1](y = this.a) { return [y, this === ${name}]; },\n};\ntry {\n${g.log(call, `${name}.comp1()`)}\n} catch (error) {\n${g.log("error")}\n}`;
}

function callApplyBind(g: Generator): string {
  const name = g.fresh("f");
  return `const ${name} = { m(...args) { return [this === undefined ? "none" : this, args]; } }.m;\n${g.log(`${name}.call(${leaf(g, "object")}, 1, 2)`, `${name}.apply(${g.pick(["null", "undefined", "{ t: 1 }", '"s"'])}, ${leaf(g, "array")})`, `${name}.bind({ bound: 1 }, ${g.any()})(${g.any()})`, `Math.max.apply(null, [1, 5, 3])`, `${name}.bind(null, 1, 2).length`)}`;
}

function namedExpression(g: Generator): string {
  const [name, own] = [g.fresh("f"), g.fresh("own")];
  return `const ${name} = function ${own}(n) {\nreturn n <= 0 ? typeof ${own} : ${own}(n - 1);\n};\n${g.log(`${name}(2)`, `${name}.name`)}\ntry {\n(function ${own}2() { ${own}2 = 1; })();\n} catch (error) {\n${g.log("error")}\n}`;
}

function inBlock(g: Generator): string {
  const name = g.fresh("b");
  return `{\n${g.log(`${name}()`)}\nfunction ${name}() { return 1; }\n{\nfunction ${name}() { return 2; }\n${g.log(`${name}()`)}\n}\n${g.log(`${name}()`)}\n}\nswitch (1) {\ncase 0:\nfunction ${name}s() { return "s"; }\ncase 1:\n${g.log(`${name}s()`)}\n}`;
}
