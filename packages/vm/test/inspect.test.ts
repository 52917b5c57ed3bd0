import { describe, expect, it } from "vitest";
import {
  decodeSnapshot,
  deliver,
  encodeFull,
  inspect,
  type Machine,
  newMachine,
  proceed,
  Shown,
} from "../src/index.ts";
import { bodyImage, imageOf, startInput } from "./runs.ts";

/** A run of the body that waits for its first durable call, stored and restored, as the engine sees it. */
function resting(body: string, value = "null"): Machine {
  const image = bodyImage(body);
  const machine = newMachine(image);
  deliver(machine, startInput(value));
  return decodeSnapshot(image, [encodeFull(machine).bytes]);
}

function variables(body: string, value = "null"): Record<string, unknown> {
  return { ...inspect(resting(body, value)).frames[0]!.variables };
}

describe("inspect shows", () => {
  it("the function, its place in the source, and the call that it waits for", () => {
    const { frames } = inspect(resting("const first = 1;\n  const second = await act(first);\n return second;"));
    expect(frames).toEqual([
      {
        function: "body",
        file: "/test.ts",
        line: 7,
        column: 18,
        variables: { input: null, first: 1 },
        calls: ["1.0"],
        frames: [],
      },
    ]);
  });

  it("variables of the scopes it is in, not those that are over, hidden or yet to come", () => {
    expect(
      variables(`
        const name = "outer";
        let total = 0;
        { const gone = 1; total += gone; }
        for (const item of [{ price: 2 }, { price: 3 }]) {
          const name = "inner";
          total += item.price;
          if (total > 5) { const deep = [total]; await act(deep); }
          const later = name;
        }
        const never = 1;
        return never;`),
    ).toEqual({ input: null, name: "inner", total: 6, item: { price: 3 }, deep: [6] });
  });

  it("the input, parameters with defaults, destructured ones and rest elements", () => {
    expect(
      variables(
        `const { id, lines: [first, ...others], note = "none", ...rest } = input;
        const work = async (a: number, { b, c = 3 }: any, ...more: number[]) => { const sum = a + b + c; await act(sum); };
        await work(1, { b: 2 }, 4, 5); return [id, first, others, note, rest];`,
        '{"id":"A","lines":[1,2,3],"extra":true}',
      ),
    ).toMatchObject({ a: 1, b: 2, c: 3, more: [4, 5], sum: 6 });
  });

  it("variables that closures share, and those that a closure has captured", () => {
    const { frames } = inspect(
      resting(`
        let count = 0;
        const bump = () => { count += 1; };
        bump(); bump();
        const wait = async () => { const own = count * 10; await act(own); return count; };
        return await wait();`),
    );
    expect(frames.map((frame) => [frame.function, frame.calls, frame.frames])).toEqual([
      ["wait", ["1.0"], []],
      ["body", [], [0]],
    ]);
    expect(frames[0]!.variables).toEqual({ count: 2, own: 20 });
    expect(frames[1]!.variables).toMatchObject({ count: 2, bump: new Shown("[Function bump]") });
  });

  it("each of several that wait together, through Promise.all, then and mapLimit", () => {
    const { frames } = inspect(
      resting(`
        const one = async (n: number) => { await act(n); };
        await Promise.all([one(1), one(2).then(() => 1), mapLimit([3, 4], 2, one)]);`),
    );
    expect(frames.map((frame) => [frame.function, frame.variables["n"], frame.calls, frame.frames])).toEqual([
      ["one", 1, ["1.0"], []],
      ["one", 2, ["1.1"], []],
      ["one", 3, ["1.2"], []],
      ["one", 4, ["1.3"], []],
      ["body", undefined, [], [0, 1, 2, 3]],
    ]);
  });

  it("values as themselves: dates, maps, sets, bytes, bigints; what is no data by a description", () => {
    expect(
      variables(`
        const date = new Date(5); const map = new Map<any, any>([["a", { n: 1 }]]); const set = new Set([1]);
        const bytes = new Uint8Array([1, 2]); const big = 12n; const nothing = undefined; const pattern = /a+/gi;
        const url = new URL("https://example.com/a"); const failure = new RangeError("too far");
        const open = act(1); const settled = Promise.resolve({ ok: true }); const step = act; const builtin = Math.max;
        await open; return [settled, step];`),
    ).toEqual({
      input: null,
      date: new Date(5),
      map: new Map([["a", { n: 1 }]]),
      set: new Set([1]),
      bytes: new Uint8Array([1, 2]),
      big: 12n,
      nothing: undefined,
      pattern: new Shown("/a+/gi"),
      url: new Shown("[URL https://example.com/a]"),
      failure: new Shown("RangeError: too far"),
      open: new Shown("[Promise, pending]"),
      settled: new Shown("[Promise, fulfilled]", { ok: true }),
      step: new Shown("[action act]"),
      builtin: new Shown("[Function Math.max]"),
    });
  });

  it("errors of the program's own classes, `this`, and instances with a codec", () => {
    const image = imageOf(`
      const act = action("act", async (value: unknown): Promise<any> => value);
      class Declined extends Error { reason = "no money"; }
      export default workflow("test.own", async (input: any) => {
        const declined = new Declined("sorry");
        const account = { owner: "Ada", async pay(price: number) { await act(price); return this.owner; } };
        return [await account.pay(5), declined, input];
      });`);
    const machine = newMachine(image);
    deliver(machine, startInput('{"price":{"$codec":["money","12.50"]}}'));
    const [pay, body] = inspect(machine).frames;
    expect(pay!.variables).toMatchObject({ this: { owner: "Ada" }, price: 5 });
    expect(body!.variables["declined"]).toEqual(new Shown("Declined: sorry", { reason: "no money" }));
    expect(body!.variables["input"]).toEqual({ price: new Shown("[money]", "12.50") });
  });

  it("what contains itself as that, and cuts what is long, deep or much", () => {
    const shown = variables(`
      const circle: any = { name: "me" }; circle.self = circle;
      const long = "x".repeat(5000); const many = Array.from({ length: 500 }, (_, i) => i);
      const wide = Object.fromEntries(many.map((n) => ["k" + n, n])); const big = new Map(many.map((n) => [n, n]));
      let deep: any = {}; for (let i = 0; i < 50; i++) deep = { deep };
      await act(1); return [circle, long];`);
    const circle = shown["circle"] as { self: unknown };
    expect(circle.self).toBe(circle);
    expect(shown["long"]).toBe(`${"x".repeat(1000)}… (5000 characters)`);
    expect(shown["many"]).toHaveLength(101);
    expect((shown["many"] as unknown[])[100]).toEqual(new Shown("… 400 more"));
    expect((shown["wide"] as Record<string, unknown>)["…"]).toEqual(new Shown("… 400 more"));
    expect((shown["big"] as Map<unknown, unknown>).size).toBe(101);
    expect(JSON.stringify(shown["deep"])).toBe(`${'{"deep":'.repeat(8)}"[Object …]"${"}".repeat(8)}`);
  });

  it("the running functions between two instructions, and changes nothing", () => {
    const image = bodyImage(
      "const add = (a: number, b: number) => { const sum = a + b; return sum; }; return add(1, 2);",
    );
    const machine = newMachine(image);
    const seen = new Set<string>();
    let delivery = deliver(machine, startInput(), 1);
    while (!delivery.done) {
      const before = encodeFull(machine).bytes;
      for (const frame of inspect(machine).frames) seen.add(`${frame.function} ${JSON.stringify(frame.variables)}`);
      expect(encodeFull(machine).bytes).toEqual(before);
      delivery = proceed(machine, 1);
    }
    expect([...seen]).toContain('add {"a":1,"b":2,"sum":3}');
  });

  it("signals that wait and what would be undone", () => {
    const machine = resting("compensate(undo, 1); compensate(undo, 2); await act(1);");
    deliver(machine, { kind: "signal", at: 2_000, name: "news", value: "1" });
    expect(inspect(machine)).toMatchObject({ signals: { news: 1 }, compensations: ["undo", "undo"] });
  });
});
