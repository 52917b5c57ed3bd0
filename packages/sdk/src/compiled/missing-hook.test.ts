import { describe, expect, it } from "vitest";
import { type NotCompiledWorkflow, missingHook, type Surroundings } from "./missing-hook.ts";

const refund: NotCompiledWorkflow = {
  name: "billing.refund.v1",
  file: "/app/src/billing.ts",
  isCommonJs: false,
  othersAreCompiled: false,
};
const registered = ["--import", "cairnjs/register"];
const topLevel =
  'not declared at the top level of /app/src/billing.ts. Declare it there as a constant, `export const … = workflow("';

describe("the advice to someone whose workflow was not compiled", () => {
  it.each<readonly [string, Partial<NotCompiledWorkflow>, Partial<Surroundings>, string]>([
    ["Vitest without the plugin", {}, { env: { VITEST: "true" } }, "plugins: [cairn.vite()]"],
    ["Jest without the hook", {}, { env: { JEST_WORKER_ID: "1" } }, '"cairnjs/jest"'],
    ["Node.js without the hook", {}, {}, "node --import cairnjs/register app.ts"],
    ["Vitest under the hook of Node.js", {}, { env: { VITEST: "true" }, execArgv: registered }, "cairn.vite()"],
    ["a bundle under the hook", { file: null }, { execArgv: registered }, "to what built it"],
    ["a package", { file: "/app/node_modules/x/y.js" }, { execArgv: registered }, "to what built it"],
    ["NODE_OPTIONS", { file: null }, { env: { NODE_OPTIONS: "--import=cairnjs/register" } }, "to what built it"],
    ["CommonJS", { isCommonJs: true }, { execArgv: registered }, "billing.ts is a CommonJS module"],
    ["an object in a module", {}, { execArgv: registered }, topLevel],
    ["an object in a bundled module", { othersAreCompiled: true }, {}, topLevel],
    ["an object in Vitest", { othersAreCompiled: true, isCommonJs: true }, { env: { VITEST: "true" } }, topLevel],
    ["a file left out", { othersAreCompiled: true }, { env: { VITEST: "true" } }, "keeps Cairn's hook from this file"],
  ])("fits %s", (_, workflow, surroundings, advice) => {
    const message = missingHook({ ...refund, ...workflow }, { env: {}, execArgv: [], ...surroundings });
    expect(message).toContain('The workflow "billing.refund.v1" was not compiled');
    expect(message).toContain(advice);
  });
});
