import { describe, expect, expectTypeOf, it } from "vitest";
import { checkedSignal, definitionOf, InvalidInput, type Signal, signal, withSignals } from "../src/index.ts";
import { mock, testRun } from "../src/testing/index.ts";
import { runInMemory } from "../src/testing/internal.ts";
import {
  bySchema,
  byType,
  children,
  chosen,
  counts,
  Money,
  patient,
  prices,
  seats,
  spend,
} from "./workflows/checked.ts";

function programOf(workflow: unknown): { readonly program: NonNullable<ReturnType<typeof compiledOf>>["program"] } {
  return { program: compiledOf(workflow)!.program };
}

function compiledOf(workflow: unknown) {
  const definition = definitionOf(workflow);
  return definition?.kind === "workflow" ? definition.compiled : undefined;
}

describe("inputs", () => {
  it("of children are refused alike natively and on the machine", async () => {
    const inputs = [{ cents: 5 }, "21", { cent: 5 }];
    const expected = [5, "", "started", "", 42, "", "cents,cent", "", "cents,cent"];
    expect(await children(inputs)).toEqual(expected);
    expect(await testRun(children, { input: inputs, restoreEverywhere: true }).result).toEqual(expected);
    for (const schedule of [1, 2, 3]) {
      expect(await testRun(children, { input: inputs, schedule }).result).toEqual(expected);
    }
  });

  it("of programs are checked by the workflow that was declared with them", async () => {
    expect((await runInMemory({ ...programOf(byType), input: { cents: 5 } })).result).toBe(5);
    await expect(runInMemory({ ...programOf(byType), input: { cetns: 5 } })).rejects.toThrow(
      'checked.type: input: "cents": missing; "cetns": there is no such property; did you mean "cents"?',
    );
    expect((await runInMemory({ ...programOf(bySchema), input: "4" })).result).toBe(8);
    await expect(runInMemory({ ...programOf(bySchema), input: 4 })).rejects.toThrow(InvalidInput);
  });

  it("and results of actions that do not fit are told apart in the body", async () => {
    const expected = [8, "too many", "no number"];
    expect(await counts([4, 5, "6"])).toEqual(expected);
    expect(await testRun(counts, { input: [4, 5, "6"] }).result).toEqual(expected);
  });
});

describe("signals with a schema", () => {
  it("are what the schema makes of them, natively and on the machine", async () => {
    const signals = { "checked.chosen": [{ seats: "41" }] };
    expect(await withSignals(signals, () => seats())).toBe(42);
    expect(await testRun(seats, { signals }).result).toBe(42);
    expect((await runInMemory({ ...programOf(seats), signals })).result).toBe(42);
    const run = testRun(seats);
    run.signal(chosen, { seats: "1" });
    expect(await run.result).toBe(2);
  });

  it("are refused where they are sent", async () => {
    const signals = { "checked.chosen": [{ seats: "many" }] };
    expect(() => withSignals(signals, () => seats())).toThrow(InvalidInput);
    expect(() => testRun(seats, { signals })).toThrow(/^checked\.chosen: signal: "seats": /);
    await expect(runInMemory({ ...programOf(seats), signals })).rejects.toThrow(InvalidInput);
    const run = testRun(seats);
    expect(() => run.signal(chosen, { seats: "many" })).toThrow(InvalidInput);
    // @ts-expect-error what is sent is text
    expect(() => run.signal(chosen, { seats: 5 })).toThrow(InvalidInput);
    expect(run.status).toBe("running");
  });

  it("have types for those who send and those who wait", () => {
    expectTypeOf(chosen).toEqualTypeOf<Signal<{ seats: number }, { seats: string }>>();
    expectTypeOf(signal<{ by: string }>("by")).toEqualTypeOf<Signal<{ by: string }>>();
  });

  it("must answer at once, and be schemas", () => {
    const validate = async (value: unknown) => ({ value });
    signal("slow", { "~standard": { version: 1, vendor: "test", validate } });
    expect(() => checkedSignal("slow", 1, "value")).toThrow('The schema of the signal "slow" is asynchronous.');
    expect(() => Reflect.apply(signal, undefined, ["odd", {}])).toThrow("takes a schema");
  });
});

it("values of classes with a codec pass through runs in memory", async () => {
  const expected = { price: new Money(5), doubled: new Money(10) };
  expect(await testRun(prices, { input: new Money(5) }).result).toEqual(expected);
  const report = await runInMemory({
    ...programOf(prices),
    input: new Money(5),
    actions: () => async (price: Money) => new Money(price.cents * 2),
  });
  expect(report.result).toEqual(expected);
  expect(report.steps[0]!.args).toEqual([new Money(5)]);
});

it("error classes in the options of a call end its tries, in a body too", async () => {
  expect(await patient()).toEqual(["x", "x", "x"]);
  const run = testRun(patient);
  expect(await run.result).toEqual(["x", "x", "x"]);
  expect(run.stepsOf(spend).map(({ attempts }) => attempts.length)).toEqual([3, 1, 1]);
  const mocked = mock.fails(spend, new RangeError("y"));
  const other = testRun(patient, { actions: [mocked] });
  expect(await other.result).toEqual(["another error", "another error", "another error"]);
  expect(other.stepsOf(spend).map(({ attempts }) => attempts.length)).toEqual([3, 1, 3]);
});
