import { describe, expect, it } from "vitest";
import { action, workflow } from "./index.ts";

const handler = async (): Promise<number> => 1;
const declare = (options: unknown): unknown => Reflect.apply(action, undefined, ["pay", options, handler]);

describe("options that cannot be right", () => {
  it.each([
    [
      { retry: { attempts: 0 } },
      'The option retry.attempts of the action "pay" is 0. ' +
        "Give a whole number of at least 1: how often the action is tried in all.",
    ],
    [{ retry: { attempts: 1.5 } }, "retry.attempts of the action"],
    [{ retry: { attempts: "3" } }, 'is "3"'],
    [{ retry: { baseMs: -1 } }, "retry.baseMs"],
    [{ retry: { capMs: Number.NaN } }, "retry.capMs"],
    [{ retry: 3 }, 'The option retry of the action "pay" is 3. Give an object: `retry: { attempts: 3 }`.'],
    [{ retry: true }, "is true. Give an object: `retry: { attempts: 3 }`."],
    [{ retires: { attempts: 3 } }, 'The action "pay" has no option retires. Did you mean retry?'],
    [{ retry: { atempts: 3 } }, 'The action "pay" has no option retry.atempts. Did you mean retry.attempts?'],
    [{ timeout: "soon" }, 'or a duration such as "90 s"'],
    [{ timeout: -5 }, "The option timeout"],
    [{ timeuot: 5 }, "Did you mean timeout?"],
    [{ colour: 5 }, "There are retry, timeout, nonRetryable, input, output"],
    [{ nonRetryable: "Declined" }, "an array of error classes or of their names"],
    [{ nonRetryable: [Map] }, "is an array with something else in it"],
    [{ input: {} }, "a schema of the argument"],
    [{ input: [] }, "a schema of the argument"],
    [{ output: String }, "is a function. Give a schema of the result"],
    [{ needs: [] }, "an object of depends(provider)"],
    [{ use: {} }, "an array of middleware()"],
    [{ isolate: "process" }, 'Give "thread" or "none".'],
    [[], "Give an object."],
  ])("%j are refused when the action is declared", (options, message) => {
    expect(() => declare(options)).toThrow(message);
  });

  it("are refused in with() and start() too, which have their own", () => {
    const pay = action("pay", handler);
    expect(() => pay.with({ retry: { attempts: -1 } })).toThrow(
      'The option retry.attempts of the call of "pay" by with() is -1.',
    );
    const flow = workflow("flow", async () => 1);
    expect(() => flow.with({ id: "" })).toThrow("a string that is not empty");
    // @ts-expect-error no duration
    expect(() => flow.start(undefined, { timeout: "never" })).toThrow('the call of "flow" by start() is "never"');
    expect(() => Reflect.apply(workflow, undefined, ["flow", { tags: "x" }, handler])).toThrow("an array of strings");
  });
});

describe("declarations with something missing or in the wrong place", () => {
  it.each([
    [
      ["pay", handler, {}],
      'action("pay", …) has its options behind the function. Write action("pay", { … }, async (…) => …)',
    ],
    [["pay", handler, 5], 'action("pay", …) takes an async function as its last argument, and got 5.'],
    [["pay", {}], 'action("pay", …) takes an async function as its last argument, and got an object.'],
    [["pay"], 'action("pay", …) takes an async function as its last argument, and got undefined.'],
    [["pay", 5, handler], 'The options of action("pay", …) are 5. Give an object, or leave them out.'],
    [[handler], 'action() takes a name as its first argument: action("handler", async (…) => …).'],
    [[async () => 1], 'action() takes a name as its first argument: action("name", async (…) => …).'],
    [["", handler], "action() takes a name as its first argument"],
  ])("%j are told what to write", (args, message) => {
    expect(() => Reflect.apply(action, undefined, args)).toThrow(message);
    const same = message.replaceAll("action(", "workflow(");
    expect(() => Reflect.apply(workflow, undefined, args)).toThrow(same);
  });
});

it("accepts what is right, and what was left undefined", () => {
  const options = {
    retry: { attempts: 1, baseMs: 0, capMs: Number.POSITIVE_INFINITY },
    timeout: "1.5 h",
    nonRetryable: ["Declined", RangeError, Error],
    use: undefined,
  };
  expect(() => declare(options)).not.toThrow();
});

describe("errors that are not worth another try", () => {
  it("may be given as classes, and then cover their subclasses", async () => {
    class Declined extends Error {}
    class Stolen extends Declined {}
    let tries = 0;
    const pay = action("pay", { retry: { attempts: 3 }, nonRetryable: [Declined] }, async (stolen: boolean) => {
      tries += 1;
      throw stolen ? new Stolen("card") : new Error("network");
    });
    await expect(pay(true)).rejects.toThrow(Stolen);
    expect(tries).toBe(1);
    await expect(pay(false)).rejects.toThrow("network");
    expect(tries).toBe(4);
  });
});
