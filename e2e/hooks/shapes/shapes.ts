/** Ways to write a module with a workflow in it. Each exports `run`, which gives the same natively and compiled. */
export interface Shape {
  readonly name: string;
  readonly file: string;
  readonly source: string;
  readonly gives: unknown;
}

const run = `import { both } from "../both.ts";\n`;

export const shapes: readonly Shape[] = [
  {
    name: "an import under another name",
    file: "renamed.ts",
    source: `${run}import { step as s, workflow as w } from "cairnjs";
const it = w("a", async (n: number) => s("x", async () => n + 1));
export const run = () => both(it, 1);`,
    gives: 2,
  },
  {
    name: "`using`, which older versions of Node.js do not know",
    file: "using.ts",
    source: `${run}import { step, workflow } from "cairnjs";
const it = workflow("a", async (n: number) => step("x", async () => {
  let sum = n;
  {
    using held = { [Symbol.dispose]() { sum += 10; } };
    void held;
    await using later = { async [Symbol.asyncDispose]() { sum += 100; } };
    void later;
  }
  return sum;
}));
export const run = () => both(it, 1);`,
    gives: 111,
  },
  {
    name: "a step whose error has a stack, in which nothing has the name of what is captured",
    file: "stack.ts",
    source: `${run}import { step, workflow } from "cairnjs";
const it = workflow("a", async (xs: number[]) => step("x", async () => {
  const stack = new Error(String(xs)).stack!;
  return [/at (Object\\.)?step /.test(stack), stack.includes("at xs")];
}));
export const run = () => both(it, [1]);`,
    gives: [true, false],
  },
  {
    name: "a namespace import, a default export, and `as` around it",
    file: "namespace.ts",
    source: `${run}import * as cairn from "cairnjs";
const it = (cairn.workflow("a", async (n: number) => cairn.step("x", async () => n + 1)) as (n: number) => Promise<number>);
export { it as default };
export const run = () => both(it, 1);`,
    gives: 2,
  },
  {
    name: "a hashbang line, directives and comments in front",
    file: "prologue.ts",
    source: `#!/usr/bin/env node
/* first */ "use strict"
"use server"; // then
${run}import { step, workflow } from "cairnjs";
const it = workflow("a", async (n: number) => step("x", async () => n + 1));
export const run = () => both(it, 1);`,
    gives: 2,
  },
  {
    name: "a byte order mark and lines that end in CRLF",
    file: "marks.ts",
    source: `\uFEFF${run}import { step, workflow } from "cairnjs";
const it = workflow("a", async (n: number) => {
  const twice = n * 2;
  return step("x", async () => {
    return twice + 1;
  });
});
export const run = () => both(it, 1);`.replaceAll("\n", "\r\n"),
    gives: 3,
  },
  {
    name: "TSX, with a comment that must stay in front",
    file: "view.tsx",
    source: `/** @jsxRuntime classic */
/** @jsx React.createElement */
${run}import { step, workflow } from "cairnjs";
const React = { createElement: (tag: string, _: null, text: string) => \`<\${tag}>\${text}</\${tag}>\` };
const it = workflow("a", async (name: string) => step("render", async <T,>() => String(<b>{name}</b>) as T & string));
export const run = () => both(it, "Ann");`,
    gives: "<b>Ann</b>",
  },
  {
    name: "a module that awaits its own workflow before its end",
    file: "top-level-await.ts",
    source: `${run}import { step, workflow } from "cairnjs";
const it = workflow("a", async (n: number) => step("x", async () => n + offset()));
const result = await both(it, 1);
function offset() { return 4; }
export const run = async () => result;`,
    gives: 5,
  },
  {
    name: "names that look like ours",
    file: "names.ts",
    source: `${run}import { step, workflow } from "cairnjs";
const $cairn_lifted = 1, $cairn1 = 2;
const it = workflow("a", async (n: number) => step("x", async () => n + $cairn_lifted + $cairn1));
export const run = () => both(it, 1);`,
    gives: 4,
  },
  {
    name: "steps in parentheses, with commas, comments and types around the arrow",
    file: "around.ts",
    source: `${run}import { step, workflow } from "cairnjs";
const it = workflow("a", async (n: number) => [
  await step("a", (async () => n)),
  await step("b", ((async () => n + 1) as () => Promise<number>), ),
  await step<number>("c", async () => n + 2, /* , */ // and ) here
  ),
  await step(("d"), async (): Promise<number> => { const m = n; return m + 3; }),
  await (step)("e", (async () => n + 4) satisfies () => Promise<number>),
]);
export const run = () => both(it, 1);`,
    gives: [1, 2, 3, 4, 5],
  },
  {
    name: "captures of loops, destructuring, closures and generics",
    file: "captures.ts",
    source: `${run}import { step, workflow } from "cairnjs";
async function each<T extends number>(items: T[]): Promise<number[]> {
  const seen: number[] = [];
  for (const [index, item] of items.entries()) {
    const { length = index } = {} as { length?: T };
    const add = async (more: number) => step("add", async () => (item as T) + index + length + more);
    seen.push(await add(100));
  }
  return seen;
}
const it = workflow("a", async (items: number[]) => each(items));
export const run = () => both(it, [10, 20]);`,
    gives: [110, 122],
  },
  {
    name: "steps that capture nothing or throw",
    file: "throws.ts",
    source: `${run}import { step, workflow } from "cairnjs";
const it = workflow("a", async () => {
  const none = await step("none", async () => 7);
  const thrown = await step("throws", async () => { throw new RangeError("no"); }).catch((error: unknown) => String(error));
  return [none, thrown];
});
export const run = () => both(it, undefined);`,
    gives: [7, "RangeError: no"],
  },
  {
    name: "plain JavaScript",
    file: "plain.mjs",
    source: `import { both } from "../both.ts";
import { step, workflow } from "cairnjs";
const it = workflow("a", async (n) => step("x", async () => n + 1));
export const run = () => both(it, 1);`,
    gives: 2,
  },
];
