import { describe, expect, it } from "vitest";
import { withSignals } from "../src/index.ts";
import { testRun } from "../src/testing/index.ts";
import { told } from "./workflows/misplaced.ts";

describe("in the handler of an action", () => {
  it.each([
    ["emit", "emit()"],
    ["progress", "progress()"],
    ["compensate", "compensate()"],
    ["runInfo", "runInfo()"],
    ["sleep", "sleep()"],
    ["wait", "wait() of a signal"],
    ["child", 'The workflow "misplaced.child"'],
    ["start", 'start() of the workflow "misplaced.child"'],
  ])("%s is refused alike natively and on the machine", async (use, what) => {
    const message =
      `${what} belongs into the body of a workflow, and was called inside the action "misplaced.use", ` +
      "which runs outside of it. Return from the action what the body needs, and call it there.";
    expect(await withSignals({ paid: [1] }, () => told(use))).toBe(message);
    expect(await testRun(told, { input: use }).result).toBe(message);
  });

  it("steps and actions are functions like any other, and no bodies either", async () => {
    const message = /^emit\(\) belongs into the body of a workflow, and was called inside the action "inner"/;
    expect(await told("in a step")).toMatch(message);
    expect(await testRun(told, { input: "in a step" }).result).toMatch(message);
  });
});
