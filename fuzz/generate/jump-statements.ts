import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";

export const jumpStatements: readonly Production[] = [
  { name: "try catch", weight: 5, write: tryCatch },
  { name: "try finally", weight: 3, write: tryFinally },
  { name: "completion", weight: 3, when: (g) => g.functions < 3, write: completion },
  { name: "break", weight: 1, when: (g) => g.loops > 0, write: (g) => `if (${g.expression("boolean")}) break;` },
  { name: "continue", weight: 1, when: (g) => g.loops > 0, write: (g) => `if (${g.expression("boolean")}) continue;` },
  { name: "labelled jump", weight: 2, when: (g) => g.labels.length > 0, write: labelledJump },
  { name: "labelled loop", weight: 2, when: (g) => g.loops < 2 && g.functions < 3, write: labelledLoop },
  { name: "labelled block", weight: 1, write: labelledBlock },
  { name: "throw", weight: 1, write: (g) => `if (${g.expression("boolean")}) throw ${thrown(g)};` },
  {
    name: "return",
    weight: 1,
    when: (g) => g.functions > 0,
    write: (g) => `if (${g.expression("boolean")}) return ${g.any()};`,
  },
];

function thrown(g: Generator): string {
  return g.chance(0.75) ? leaf(g, "error") : leaf(g, g.pick(["number", "string", "object"]));
}

function catchHead(g: Generator): { head: string; log: string } {
  const name = g.fresh("e");
  return g.pick([
    () => ({ head: `catch (${name})`, log: g.log(name, `${name} instanceof Error`) }),
    () => ({
      head: `catch (${name})`,
      log: g.log(name, `${name} instanceof ${g.pick(["TypeError", ...g.module.errorClasses])}`),
    }),
    () => ({ head: "catch", log: g.log() }),
    () => ({ head: `catch ({ name: ${name} = "none", ...${name}r })`, log: g.log(name, `Object.keys(${name}r)`) }),
    () => ({ head: `catch (${name}: unknown)`, log: g.log(name) }),
  ])();
}

function tryCatch(g: Generator): string {
  const { head, log } = catchHead(g);
  const body = g.block();
  const end = g.chance(0.6)
    ? `throw ${thrown(g)};`
    : g.pick(
        [
          "null.x;",
          "undefined();",
          "(void 0)();",
          "5n + 1;",
          "null[0] = 1;",
          "const [z] = null;",
          "({}).f();",
          "[].reduce((a) => a);",
          "x.y;",
          "new (class {})();",
        ].slice(0, 8),
      );
  return `try {\n${body}\n${end}\n} ${head} {\n${log}\n${g.block(1)}\n}`;
}

function tryFinally(g: Generator): string {
  const { head, log } = catchHead(g);
  const inner = g.block();
  const rethrow = g.chance(0.3) ? `throw ${thrown(g)};` : "";
  const text = `try {\n${inner}\n${g.chance(0.5) ? `throw ${thrown(g)};` : ""}\n} ${head} {\n${log}\n${rethrow}\n} finally {\n${g.log()}\n${g.block(1)}\n}`;
  return rethrow === "" ? text : `try {\n${text}\n} catch (outer) {\n${g.log("outer")}\n}`;
}

/** Which completion wins when try, catch and finally each end in their own way. */
function completion(g: Generator): string {
  const name = g.fresh("f");
  const isAsync = g.inAsync && g.chance(0.4);
  const exit = (): string =>
    g.pick([
      `return ${leaf(g, "number")};`,
      `throw ${leaf(g, "error")};`,
      "break outer;",
      "continue outer;",
      g.log(),
      isAsync ? `return await ${leaf(g, "promise")};` : "",
      isAsync ? `return ${leaf(g, "promise")};` : "",
    ]);
  const count = g.fresh("n");
  const body = `let ${count} = 0;\nouter: while (${count}++ < 2) {\ntry {\n${g.log()}\n${exit()}\n} catch (error) {\n${g.log("error")}\n${exit()}\n} finally {\n${g.log()}\n${g.chance(0.5) ? exit() : ""}\n}\n${g.log()}\n}\nreturn "end";`;
  const call = isAsync ? `await ${name}()` : `${name}()`;
  return `${isAsync ? "async " : ""}function ${name}() {\n${body}\n}\ntry {\n${g.log(call)}\n} catch (error) {\n${g.log("error")}\n}`;
}

function labelledJump(g: Generator): string {
  const { name, isLoop } = g.pick(g.labels);
  return `if (${g.expression("boolean")}) ${isLoop && g.chance(0.5) ? "continue" : "break"} ${name};`;
}

function labelledLoop(g: Generator): string {
  const [label, i, j] = [g.fresh("loop"), g.fresh("i"), g.fresh("j")];
  return g.labelled(label, true, () => {
    const inner = g.inLoop(() =>
      g.inLoop(() => {
        g.declare(i, "number", false);
        g.declare(j, "number", false);
        return g.block();
      }),
    );
    const jump = `if (${i} === ${g.pick(["0", "1"])} && ${j} === 1) ${g.pick(["break", "continue"])} ${label};`;
    const guarded = g.chance(0.4) ? `try {\n${jump}\n${inner}\n} finally {\n${g.log(i, j)}\n}` : `${jump}\n${inner}`;
    return `${label}: for (let ${i} = 0; ${i} < 3; ${i}++) {\nfor (const ${j} of [0, 1, 2]) {\n${guarded}\n}\n}`;
  });
}

function labelledBlock(g: Generator): string {
  const label = g.fresh("block");
  const inner = g.labelled(label, false, () => g.block(2));
  return `${label}: {\n${inner}\nif (${g.expression("boolean")}) break ${label};\n${g.log()}\n}`;
}
