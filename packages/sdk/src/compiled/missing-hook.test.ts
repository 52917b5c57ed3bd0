import { describe, expect, it } from "vitest";
import { missingHook } from "./missing-hook.ts";

describe("the advice to someone whose workflow was not compiled", () => {
  it.each([
    ["Vitest", { VITEST: "true" }, [], "plugins: [cairn.vite()]"],
    ["Jest", { JEST_WORKER_ID: "1" }, [], '"cairnjs/jest"'],
    ["Node.js without the hook", {}, [], "node --import cairnjs/register app.ts"],
    ["a bundle under the hook", {}, ["--import", "cairnjs/register"], "to what built it"],
    ["a bundle under NODE_OPTIONS", { NODE_OPTIONS: "--import=cairnjs/register" }, [], "to what built it"],
  ])("names the hook that %s lacks", (_, env, execArgv, advice) => {
    const message = missingHook("billing.refund.v1", { env, execArgv });
    expect(message).toContain('The workflow "billing.refund.v1" was not compiled');
    expect(message).toContain(advice);
  });
});
