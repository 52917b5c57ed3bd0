import { expect, expectTypeOf, it } from "vitest";
import { mock, testRun, type TestRun } from "../src/testing/index.ts";
import { approved, charge, order, race, remindAll, send } from "./workflows/shop.ts";

/** Compiled with the other type tests; what must not compile is only written down. */
export const wrong = (): unknown => [
  // @ts-expect-error the workflow takes an input
  testRun(order),
  // @ts-expect-error of this type
  testRun(order, { input: { cents: "5", to: "ada" } }),
  // @ts-expect-error the workflow takes none
  testRun(race, { input: 5 }),
  // @ts-expect-error no such option
  testRun(race, { mocks: [] }),
  // @ts-expect-error the arguments are the action's
  mock(charge, async (cents: string) => ({ payment: cents })),
  // @ts-expect-error the result is the action's
  mock(charge, async () => ({ pay: 1 })),
  // @ts-expect-error the value is the action's
  mock.resolves(send, 5),
  // @ts-expect-error the value is the signal's
  testRun(race).signal(approved, { by: 5 }),
  // @ts-expect-error the arguments are the action's
  testRun(race).assertCalled(send, 5, 5),
];

it("infers input, result, mocks and calls", () => {
  const run = testRun(order, { input: { cents: 1, to: "ada" } });
  expectTypeOf(run).toEqualTypeOf<TestRun<string>>();
  expectTypeOf(run.result).resolves.toBeString();
  expectTypeOf(testRun(remindAll, { input: ["x"] }).result).resolves.toEqualTypeOf<string[]>();
  expectTypeOf(run.called(send)).toEqualTypeOf<readonly [to: string, text: string][]>();
  expectTypeOf(run.stepsOf(charge)[0]!.result).toEqualTypeOf<{ payment: string } | undefined>();
  const charged = mock(charge, (cents) => {
    expectTypeOf(cents).toBeNumber();
    return { payment: "p" };
  });
  expectTypeOf(charged.calls).toEqualTypeOf<readonly [cents: number][]>();
  expect(charged.name).toBe("shop.charge");
});
