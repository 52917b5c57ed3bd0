import { runInThisContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { parse } from "../1-parse/parse.ts";
import { iterableText, sourceText } from "./source-text.ts";

const scope = `let u, z, n = 1, k = "kk"; const a = { b: { c: {} } };
  const o = { p: { q: {} }, f: () => ({}), k: "zz", x: undefined }; const f = () => 5;`;

/** The message of the error that V8 throws for a statement. */
async function thrown(statement: string): Promise<string> {
  const code = `(async function () { ${scope} ${statement}; }).call({})`;
  try {
    await runInThisContext(code);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`${statement} throws nothing`);
}

function expressionOf(source: string): Parameters<typeof sourceText>[0] {
  const statement = parse("test.ts", `(${source});`).program.body[0];
  if (statement?.type !== "ExpressionStatement") throw new Error(source);
  return statement.expression;
}

function calleeOf(source: string): Parameters<typeof sourceText>[0] {
  const expression = expressionOf(`${source}()`);
  const call = expression.type === "ChainExpression" ? expression.expression : expression;
  if (call.type !== "CallExpression") throw new Error(source);
  return call.callee;
}

describe("a callee is printed as V8 prints it", () => {
  test.each([
    "u",
    "o.x",
    "o['x']",
    "o['a b']",
    "o[0]",
    "o[k]",
    "o[k + 1]",
    "o[-1]",
    "o[`t`]",
    "o[f()]",
    "o[null]",
    "o[[1]]",
    "o.p.q.r",
    "f()",
    "o.f().x",
    "a.b?.c.d",
    "(1, u)",
    "(u || u)",
    "(u ?? z)",
    "(u ? o : o)",
    "[].x",
    "[1, 2][0]",
    "[...[]].x",
    "({}).x",
    "({ a: 1 }).b",
    "'s'.x",
    "'s'",
    "5",
    "null",
    "true",
    "`t`",
    "10n",
    "/re/g.x",
    "(() => 1)()",
    "(function n() {}).x",
    "new Date().x",
    "(await 1)",
    "(await o).x",
    "(!u)",
    "(-u)",
    "(typeof u)",
    "(u + 1)",
    "(u + 1 + k)",
    "(u * 2 - 1)",
    "(u == 1)",
    "('a' in o)",
    "(u = 1)",
    "(n++)",
    "(--n)",
    "this.x",
    "Math.foo",
    "JSON.parse('{}').x",
  ])("%s", async (callee) => {
    expect(`${sourceText(calleeOf(callee))} is not a function`).toBe(await thrown(`${callee}()`));
  });
});

describe("an iterable is printed as V8 prints it", () => {
  test.each(["u", "o.x", "f()", "o.f()", "u ?? z", "5", "'s'.x", "o[k]", "[1].x", "await u", "-u", "u + 1"])(
    "%s",
    async (iterable) => {
      expect(`${iterableText(expressionOf(iterable))} is not iterable`).toBe(await thrown(`[...(${iterable})]`));
    },
  );
});
