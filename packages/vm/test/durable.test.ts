import { describe, expect, it } from "vitest";
import {
  type Effect,
  type Input,
  type Machine,
  accepts,
  decodeSnapshot,
  deliver,
  encodeFull,
  newMachine,
} from "../src/index.ts";
import { bodyImage, endOf, imageOf, resultOf, startInput } from "./runs.ts";

/** Starts a body and gives it inputs by hand; each answer is the effects of that input. */
class Hand {
  readonly machine: Machine;
  last: readonly Effect[] = [];
  at = 1_000;

  constructor(body: string, value = "null") {
    this.machine = newMachine(bodyImage(body));
    this.give(startInput(value));
  }

  give(input: Input): readonly Effect[] {
    expect(accepts(this.machine, input)).toBe(true);
    const delivery = deliver(this.machine, input);
    this.last = delivery.done ? delivery.effects : [];
    return this.last;
  }

  of<K extends Effect["kind"]>(kind: K): Extract<Effect, { kind: K }>[] {
    return this.last.filter((effect): effect is Extract<Effect, { kind: K }> => effect.kind === kind);
  }

  result(call: string, value: unknown): readonly Effect[] {
    return this.give({ kind: "result", at: ++this.at, call, value: JSON.stringify(value) });
  }

  error(call: string, names: string[], message: string, props?: object): readonly Effect[] {
    const error = JSON.stringify({ $error: { names, message, ...(props === undefined ? {} : { props }) } });
    return this.give({ kind: "error", at: ++this.at, call, error });
  }

  signal(name: string, value: unknown): readonly Effect[] {
    return this.give({ kind: "signal", at: ++this.at, name, value: JSON.stringify(value) });
  }
}

describe("calls", () => {
  it("arguments are copied when the call is evaluated, the result enters as a fresh value", () => {
    const hand = new Hand("const a = { n: 1 }; const p = act(a); a.n = 2; const r = await p; r.n++; return [a, r];");
    expect(hand.of("call")[0]!.args).toBe('[{"n":1}]');
    hand.result(hand.of("call")[0]!.id, { n: 10 });
    expect(resultOf(hand.last)).toEqual([{ n: 2 }, { n: 11 }]);
  });

  it("ids are the number of the input and an ordinal, and never come again", () => {
    const hand = new Hand("const a = act(1), b = act(2); await a; await act(3); await b;");
    expect(hand.of("call").map(({ id }) => id)).toEqual(["1.0", "1.1"]);
    hand.result("1.0", 1);
    expect(hand.of("call").map(({ id }) => id)).toEqual(["2.0"]);
  });

  const decimal = { $codec: ["decimal.js", "1.10"] };

  it("an instance of a class with a codec is held, told apart and passed on, across snapshots", () => {
    const hand = new Hand(
      `const d = await act(1); const kept = { d, again: d };
       const other = await act(d);
       return [typeof d, d === kept.again, d === other, new Map([[d, 1]]).get(d), kept, d instanceof Error];`,
    );
    hand.result("1.0", decimal);
    expect(hand.of("call")[0]!.args).toBe('[{"$codec":["decimal.js","1.10"]}]');
    const restored = decodeSnapshot(hand.machine.image, [encodeFull(hand.machine).bytes]);
    const delivery = deliver(restored, { kind: "result", at: 3_000, call: "2.0", value: JSON.stringify(decimal) });
    expect(resultOf(delivery.done ? delivery.effects : [])).toEqual([
      "object",
      true,
      false,
      1,
      { d: { $def: [0, decimal] }, again: { $ref: 0 } },
      false,
    ]);
  });

  it.each([
    "d.plus(1)",
    "d + 1",
    "`${d}`",
    "d == 1",
    "'x' in d",
    "({ ...d })",
    "[...d]",
    "Object.keys(d)",
    "JSON.stringify(d)",
    "structuredClone(d)",
    "Object.prototype.toString.call(d)",
    "(d.x = 1)",
    "delete d.x",
    "Object.freeze(d)",
  ])("%s, where d is one, ends the run: its methods exist in actions alone", (look) => {
    const hand = new Hand(`const d: any = await act(1); try { ${look}; } catch { return "caught"; } return "none";`);
    hand.result("1.0", decimal);
    const end = endOf(hand.last);
    expect(end?.status).toBe("failed");
    expect(end?.value).toContain("UnsupportedBuiltin");
    expect(end?.value).toContain("using a value of the codec 'decimal.js' in a body");
  });

  it("an argument that cannot be stored rejects the call's promise with the path", () => {
    const body =
      "try { await act({ list: [1, () => 1] } as any); } catch (e: any) { return [e.name, e.path, e instanceof Error]; }";
    const hand = new Hand(body);
    expect(hand.of("call")).toEqual([]);
    expect(resultOf(hand.last)).toEqual(["NotStorable", "arguments[0].list[1]", true]);
  });

  it("an error arrives with its class-name chain, message, cause and properties", () => {
    const image = imageOf(`
import { ActionTimeout } from "cairnjs";
class Declined extends Error { code = 0; }
class Fatal extends Declined {}
const act = action("act", async () => 1);
export default workflow("test.errors", async () => {
  try { await act(); } catch (e: any) {
    return [e instanceof Declined, e instanceof Fatal, e instanceof Error, e.code, e.message, e.name];
  }
});`);
    const machine = newMachine(image);
    deliver(machine, startInput());
    const error = '{"$error":{"names":["Fatal","Declined","Error"],"message":"no","props":{"code":7}}}';
    const delivery = deliver(machine, { kind: "error", at: 2_000, call: "1.0", error });
    expect(resultOf(delivery.done ? delivery.effects : [])).toEqual([true, true, true, 7, "no", "Error"]);
  });

  it("a result for a call that is not open is not accepted", () => {
    const hand = new Hand("await act(1); await act(2);");
    hand.result("1.0", 1);
    expect(accepts(hand.machine, { kind: "result", at: 1, call: "1.0", value: "1" })).toBe(false);
    expect(accepts(hand.machine, { kind: "timer", at: 1, call: "2.0" })).toBe(false);
    expect(accepts(hand.machine, startInput())).toBe(false);
  });
});

describe("time and chance", () => {
  it("Date.now() is constant while one input is processed, and never goes back", () => {
    const hand = new Hand(
      "const a = Date.now(); for (let i = 0; i < 1000; i++); const b = Date.now(); await act(1); return [a, b, Date.now()];",
    );
    hand.give({ kind: "result", at: 500, call: "1.0", value: "1" });
    expect(resultOf(hand.last)).toEqual([1_000, 1_000, 1_000]);
  });

  it("equal seeds draw equal numbers, and a reseed changes the course", () => {
    const draws = (reseed: string | null): unknown => {
      const hand = new Hand("const a = Math.random(); await act(1); return [a, Math.random(), crypto.randomUUID()];");
      if (reseed !== null) hand.give({ kind: "reseed", at: 1_000, seed: reseed });
      return resultOf(hand.result("1.0", 1));
    };
    expect(draws(null)).toEqual(draws(null));
    expect(draws("other")).not.toEqual(draws(null));
    expect((draws("other") as number[])[0]).toBe((draws(null) as number[])[0]);
  });

  it("sleep takes milliseconds, durations and dates; what is invalid rejects with RangeError", () => {
    const hand = new Hand(
      'const bad = []; for (const d of ["soon", NaN, new Date(NaN), {}, "5 parsecs"] as any[]) await sleep(d).catch((e) => bad.push(e.name));' +
        'await Promise.all([sleep(5), sleep("1.5 h"), sleep("2 days"), sleep(new Date(9000)), sleep(Number("-3"))]); return bad;',
    );
    expect(hand.of("sleep").map(({ until }) => until)).toEqual([1_005, 5_401_000, 172_801_000, 9_000, 1_000]);
    for (const { id, until } of hand.of("sleep")) hand.give({ kind: "timer", at: until, call: id });
    expect(resultOf(hand.last)).toEqual(Array.from({ length: 5 }, () => "RangeError"));
  });
});

describe("options", () => {
  it("that cannot be stored reject the promise of start(), and with() throws", () => {
    const hand = new Hand(
      `const seen: any[] = [];
       try { await again.start(1, { x: () => 1 } as any); } catch (e: any) { seen.push([e.name, e.path]); }
       try { act.with({ x: () => 1 } as any); } catch (e: any) { seen.push([e.name, e.path]); }
       return seen;`,
    );
    expect(resultOf(hand.last)).toEqual([
      ["NotStorable", "options.x"],
      ["NotStorable", "options.x"],
    ]);
  });

  it("of the action given to compensate() are those it is called with", () => {
    const hand = new Hand(`compensate(undo.with({ retry: { attempts: 7 } }), 1); throw new Error("no");`);
    expect(hand.of("call")[0]?.options).toBe('{"retry":{"attempts":7}}');
  });
});

describe("times beyond those that a Date can say", () => {
  it.each(["sleep(+d)", "sleep(8.64e15)", "sleep(Infinity)", "sleep(new Date(NaN))", "s.wait({ timeout: 1e300 })"])(
    "%s is a RangeError",
    (call) => {
      const hand = new Hand(
        `const s = signal("s"); const d = "1e300"; try { await ${call}; } catch (e: any) { return e.name; } return 1;`,
      );
      expect(resultOf(hand.last)).toBe("RangeError");
    },
  );
});

describe("signals", () => {
  it("are buffered per name in order of arrival, before any wait too; waiters are served in order", () => {
    const hand = new Hand(
      'const s = signal<number>("s"); await act(0); const first = s.wait(); const second = s.wait(); return [await first, await second, await s.wait()];',
    );
    hand.signal("s", 1);
    hand.signal("other", 9);
    hand.result("1.0", null);
    expect(hand.of("taken").map(({ value }) => value)).toEqual(["1"]);
    hand.signal("s", 2);
    hand.signal("s", 3);
    expect(resultOf(hand.last)).toEqual([1, 2, 3]);
  });

  it("a wait that is due first rejects with SignalTimeout, and takes no later signal", () => {
    const hand = new Hand(
      'const s = signal<number>("s"); try { await s.wait({ timeout: "1 s" }); } catch (e: any) { return [e.name, await s.wait()]; }',
    );
    const [wait] = hand.of("wait");
    expect(wait!.until).toBe(2_000);
    hand.give({ kind: "timer", at: 2_000, call: wait!.id });
    hand.signal("s", 5);
    expect(resultOf(hand.last)).toEqual(["SignalTimeout", 5]);
  });
});

describe("cancellation", () => {
  it("rejects all open durable promises in the order they were made; later calls reject at once", () => {
    const hand = new Hand(`
      const seen: any[] = []; const note = (name: string) => (e: any) => { seen.push(name + e.name); };
      const all = [act(1).catch(note("a")), sleep(5).catch(note("b")), signal("s").wait().catch(note("c"))];
      await Promise.all(all); await act(2).catch(note("d")); console.log(seen); return "caught";`);
    hand.give({ kind: "cancel", at: 2_000, reason: "by a user" });
    expect(hand.of("log")[0]!.args).toBe('[["aRunCancelled","bRunCancelled","cRunCancelled","dRunCancelled"]]');
    expect(hand.of("call")).toEqual([]);
    expect(endOf(hand.last).status).toBe("cancelled");
  });
});

describe("the end of a body", () => {
  it("compensations run newest first, one at a time; a failing one is recorded and the others go on", () => {
    const hand = new Hand(
      "compensate(undo, 1); compensate(undo, 2); compensate(undo, 3); throw new TypeError('late');",
    );
    const order: string[] = [];
    for (let round = 0; round < 3; round++) {
      const [call] = hand.of("call");
      expect(hand.of("call")).toHaveLength(1);
      order.push(call!.args);
      if (round === 1) hand.error(call!.id, ["Error"], "cannot");
      else hand.result(call!.id, null);
    }
    expect(order).toEqual(["[3]", "[2]", "[1]"]);
    expect(endOf(hand.last)).toMatchObject({
      status: "failed",
      value: '{"$error":{"names":["TypeError","Error"],"message":"late"}}',
    });
  });

  it("a caught error is no failure: nothing is compensated", () => {
    const hand = new Hand("compensate(undo, 1); try { throw 1; } catch { return 'fine'; }");
    expect(hand.of("call")).toEqual([]);
    expect(resultOf(hand.last)).toBe("fine");
  });

  it("open steps are abandoned and suspended frames dropped without their finally, each told", () => {
    const hand = new Hand(`
      const slow = async () => { try { await act("slow"); } finally { console.log("never"); } };
      void slow(); return "early";`);
    expect(hand.of("abandon").map(({ call }) => call)).toEqual(["1.0"]);
    expect(hand.of("warning")).toMatchObject([{ code: "DroppedFrame", detail: '"slow"' }]);
    expect(hand.of("log")).toEqual([]);
  });

  it("an unhandled rejection never fails a run, and is a warning if it is still unhandled at the end", () => {
    const hand = new Hand(
      "const late = Promise.reject(new Error('a')); Promise.reject(new Error('b')).then(() => 1); await act(1); late.catch(() => 1); return 1;",
    );
    hand.result("1.0", 1);
    expect(hand.of("warning").map(({ code, detail }) => [code, JSON.parse(detail).$error.message])).toEqual([
      ["UnhandledRejection", "b"],
    ]);
    expect(resultOf(hand.last)).toBe(1);
  });

  it("a recorded failure tells where it came from", () => {
    const hand = new Hand("const inner = () => { throw new Error('x'); }; const outer = () => inner(); outer();");
    expect(endOf(hand.last).trace.map((line) => line.function)).toEqual(["inner", "outer", "body"]);
    expect(endOf(hand.last).trace.every(({ offset }) => offset > 0)).toBe(true);
    const [inner, outer, body] = endOf(hand.last).trace;
    expect([inner!.line, outer!.line]).toEqual([body!.line, body!.line]);
    expect([inner, outer, body].map((each) => each!.column)).toEqual(
      [inner, outer, body].map((each) => each!.column).toSorted((a, b) => a - b),
    );
  });

  it("a result that cannot be stored fails the run with NotStorable", () => {
    const hand = new Hand("return { f: () => 1 };");
    expect(endOf(hand.last).value).toContain("NotStorable");
  });
});

describe("records of the input being processed", () => {
  it("progress, emit and runInfo", () => {
    const hand = new Hand(
      "progress({ done: 1 }); emit('order.shipped.v1', { id: 7 }); const i = runInfo(); return [i.type, i.attempt, i.startedAt instanceof Date, i.tags, i.parent];",
    );
    expect(hand.of("progress")[0]!.value).toBe('{"done":1}');
    expect(hand.of("emit")[0]).toMatchObject({ type: "order.shipped.v1", data: '{"id":7}' });
    expect(resultOf(hand.last)).toEqual(["test.body", 1, true, ["blue"], null]);
  });

  it("a log event has the arguments; what cannot be stored is named", () => {
    const hand = new Hand("console.warn('a', { b: [1] }, () => 1); console.assert(true); console.assert(false, 'no');");
    expect(hand.of("log").map(({ level, args }) => [level, args])).toEqual([
      ["warn", '["a",{"b":[1]},"[Function ]"]'],
      ["error", '["Assertion failed","no"]'],
    ]);
  });
});

describe("references to actions", () => {
  it("are one function to the program, and each has its node", () => {
    const hand = new Hand(
      "const a = act, b = act; const m = new Map([[a, 1]]); return [a === b, m.get(b), [a].includes(b), a === undo, typeof a];",
    );
    expect(resultOf(hand.last)).toEqual([true, 1, true, false, "function"]);
  });

  it("with() gives another function with options", () => {
    const hand = new Hand(
      "const fast = act.with({ timeout: '1 s' }); console.log(fast === act); await fast.with({ retry: { attempts: 2 } })(5);",
    );
    expect(hand.of("call")[0]!.options).toBe('{"timeout":"1 s","retry":{"attempts":2}}');
    expect(hand.of("log")[0]!.args).toBe("[false]");
  });

  it("error classes in the options are stored by their names", () => {
    const image = imageOf(`
import { ActionTimeout } from "cairnjs";
class Declined extends TypeError {}
const act = action("act", async (value: unknown): Promise<any> => value);
const again = workflow("again", async (value: unknown): Promise<any> => value);
export default workflow("test.classes", async (): Promise<any> => {
  const classes = [Declined, RangeError, ActionTimeout, "Other"];
  const started = again.start(1, { nonRetryable: classes });
  await act.with({ nonRetryable: classes }).with({ timeout: 5 })(classes.length);
  await started;
});`);
    const delivery = deliver(newMachine(image), startInput());
    const effects = delivery.done ? delivery.effects : [];
    const names = '"nonRetryable":["Declined","RangeError","ActionTimeout","Other"]';
    expect(effects).toMatchObject([
      { kind: "child", options: `{${names}}` },
      { kind: "call", options: `{${names},"timeout":5}` },
    ]);
    for (const wrong of ["Date", "act", "() => 1", "Object"]) {
      const hand = new Hand(
        `try { act.with({ nonRetryable: [${wrong}] } as any); } catch (e: any) { return [e.name, e.path]; }`,
      );
      expect(resultOf(hand.last)).toEqual(["NotStorable", "options.nonRetryable[0]"]);
    }
  });
});

describe("undoing and forking", () => {
  const BODY = `compensate(undo, "a"); await act(1); compensate(undo, "b"); compensate(undo, "c"); await act(2);`;
  const undo = (keep: number): Input => ({ kind: "undo", at: 3_000, keep, next: "what then" });
  const undone = (hand: Hand): unknown => hand.last.filter(({ kind }) => kind === "undone");

  it("runs the compensations but those to be kept, newest first, and no handler of the body", () => {
    const hand = new Hand(`try { ${BODY} } catch { await act("caught"); } finally { await act("finally"); }`);
    hand.result("1.1", 1);
    hand.give(undo(1));
    expect(hand.of("abandon").map(({ call }) => call)).toEqual(["2.2"]);
    expect(hand.of("call").map(({ args }) => args)).toEqual(['["c"]']);
    hand.result(hand.of("call")[0]!.id, null);
    expect(hand.of("call").map(({ args }) => args)).toEqual(['["b"]']);
    hand.result(hand.of("call")[0]!.id, null);
    expect(undone(hand)).toMatchObject([{ next: "what then" }]);
    expect(hand.machine.phase).toBe("ended");
  });

  it("is done at once when there is nothing to undo", () => {
    const hand = new Hand(BODY);
    hand.give(undo(1));
    expect(undone(hand)).toMatchObject([{ next: "what then" }]);
  });

  it("lets a compensation that is under way come to its end", () => {
    const hand = new Hand(`compensate(undo, "a"); compensate(undo, "b"); throw new Error("no");`);
    const [b] = hand.of("call");
    hand.give(undo(0));
    expect(hand.last).toEqual([]);
    hand.result(b!.id, null);
    expect(hand.of("call").map(({ args }) => args)).toEqual(['["a"]']);
    hand.result(hand.of("call")[0]!.id, null);
    expect(undone(hand)).toHaveLength(1);
  });

  it("is cancelled by who wants the run to end: then everything is undone", () => {
    const hand = new Hand(BODY);
    hand.result("1.1", 1);
    hand.give(undo(1));
    hand.give({ kind: "cancel", at: 3_001, reason: "enough" });
    const restored = decodeSnapshot(hand.machine.image, [encodeFull(hand.machine).bytes]);
    const seen: string[] = [];
    let [next] = [...restored.open.values()];
    while (next !== undefined) {
      const delivery = deliver(restored, { kind: "result", at: 3_002, call: next.id, value: "null" });
      if (!delivery.done) throw new Error("it takes no time");
      seen.push(...delivery.effects.map((effect) => (effect.kind === "call" ? effect.args : effect.kind)));
      [next] = [...restored.open.values()];
      if (next === undefined) expect(endOf(delivery.effects)).toMatchObject({ status: "cancelled" });
    }
    expect(seen).toEqual(['["b"]', '["a"]', "end"]);
  });

  it("a fork is another run, and undoes only what it does itself unless it is asked to", () => {
    const ending = (compensations: boolean): unknown => {
      const hand = new Hand(`${BODY} throw new Error(runInfo().id);`);
      hand.result("1.1", 1);
      const info = { ...hand.machine.info!, id: "another" };
      hand.give({ kind: "fork", at: 3_000, seed: null, info, compensations });
      return hand.result("2.2", 1);
    };
    expect(ending(false)).toMatchObject([{ kind: "end", status: "failed", value: expect.stringContaining("another") }]);
    expect(ending(true)).toMatchObject([{ kind: "call", args: '["c"]', compensation: true }]);
  });
});
