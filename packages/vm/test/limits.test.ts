import { describe, expect, it } from "vitest";
import { defaultLimits, deliver, newMachine, proceed } from "../src/index.ts";
import { bodyImage, endOf, failureOf, resultOf, runInputs, runToEnd, startInput } from "./runs.ts";

const limits = { ...defaultLimits, fuelPerInputMax: 3_000_000, stateBytesMax: 4_000_000 };

const SLICE = 100_000;

/** The work before the end is what the limit allows, in slices as the engine runs them. */
function failureWithin(body: string): string {
  const machine = newMachine(bodyImage(body), limits);
  let slices = 1;
  const effects = runInputs(machine, startInput(), (_, input) => {
    let delivery = deliver(machine, input, SLICE);
    for (; !delivery.done; delivery = proceed(machine, SLICE)) slices++;
    return delivery;
  });
  expect(slices).toBeLessThanOrEqual(limits.fuelPerInputMax / SLICE + 1);
  return failureOf(effects);
}

describe("each limit ends only the run that passes it", () => {
  it.each([
    ["an endless loop", "while (true) {}", "OutOfFuel"],
    ["an endless loop of awaits, which do not refill fuel", "while (true) await null;", "OutOfFuel"],
    ["a promise chain without end", "const f = (): any => Promise.resolve().then(f); await f();", "StateTooLarge"],
    ["a thenable that resolves to itself for ever", "const t = { then(ok: any) { ok(t); } }; await t;", "OutOfFuel"],
    ["a string doubled for ever", 'let s = "x"; while (true) s += s;', "StateTooLarge"],
    ["an array that only grows", "const a = []; while (true) a.push({ a });", "StateTooLarge"],
    ["a string repeated beyond the limit", '"a".repeat(2 ** 28);', "StateTooLarge"],
    ["a string padded beyond the limit", '"a".padEnd(2 ** 28);', "StateTooLarge"],
    ["a bigint power", "(2n ** 1000000n) ** 20n;", "StateTooLarge"],
    ["a bigint shift", "1n << 100000000n;", "StateTooLarge"],
    ["an array with a huge length joined", "const a: any[] = []; a.length = 10000000; a.join('xyz');", "OutOfFuel"],
    ["an array filled beyond the limit", "const a: any[] = []; a.length = 10000000; a.fill(0);", "StateTooLarge"],
    [
      "many strings that share parts",
      'const a = []; let s = "x".repeat(100000); while (true) a.push(s + a.length);',
      "StateTooLarge",
    ],
    ["a map that only grows", "const m = new Map(); for (let i = 0; ; i++) m.set(`key ${i}`, { i });", "StateTooLarge"],
    [
      "JSON of a graph that doubles",
      "let o: any = 1; for (let i = 0; i < 40; i++) o = [o, o]; JSON.stringify(o);",
      "OutOfFuel",
    ],
    [
      "a clone of a long string list",
      "let a: any = ['x'.repeat(1000)]; while (true) a = a.concat(a);",
      "StateTooLarge",
    ],
    [
      "sorting without end",
      "const a = Array.from({ length: 100000 }, (_, i) => -i); while (true) a.sort();",
      "OutOfFuel",
    ],
    ["many equal strings", 'const a = []; for (let i = 0; ; i++) a.push("y".repeat(100000));', "StateTooLarge"],
    [
      "an array with one far element",
      "const a: any[] = [7]; a[2147483648] = 1; while (true) a.indexOf(7);",
      "UnsupportedBuiltin",
    ],
    [
      "a search in an endless array-like",
      "while (true) Array.prototype.indexOf.call({ length: 2 ** 40 }, 1);",
      "OutOfFuel",
    ],
    [
      "an array-like of the greatest length",
      "return Array.prototype.join.call({ length: 2 ** 53 - 1 }, '');",
      "OutOfFuel",
    ],
    ["a catastrophic pattern", 'return /^(a+)+$/.test("a".repeat(40) + "b");', "OutOfFuel"],
  ])("%s", (_, body, error) => {
    expect(failureWithin(body)).toBe(error);
  });

  it("a spread, which is one instruction, stops at the limit and not after it", () => {
    const effects = runToEnd(bodyImage('const s = "ab".repeat(500000); return [...s].length;'), "null", limits);
    expect(endOf(effects).value).toContain("One operation took more than the limit of 4000000 bytes");
  });

  it("an engine error is recorded with the places where the run was, in helpers and callbacks too", () => {
    const body = `const spin = (n: number) => { while (n >= 0) n += 1; return n; };
      return [1].map((n) => spin(n));`;
    const { trace } = endOf(runToEnd(bodyImage(body), "null", limits));
    expect(trace.map((line) => line.function)).toEqual(["spin", "", "body"]);
    const [inSpin, inArrow, inBody] = trace.map(({ offset }) => offset);
    expect((inArrow ?? 0) - (inSpin ?? 0)).toBeGreaterThan(0);
    expect(inSpin).toBeGreaterThan(0);
    expect(inBody).toBeGreaterThan(inSpin ?? 0);
  });

  it("neither catch nor finally sees an engine error", () => {
    const effects = runToEnd(
      bodyImage('try { while (true) {} } catch { console.log("caught"); } finally { console.log("finally"); }'),
      "null",
      limits,
    );
    expect(failureOf(effects)).toBe("OutOfFuel");
    expect(effects.filter(({ kind }) => kind === "log")).toEqual([]);
  });

  it("recursion without end is the program's RangeError, which it may catch", () => {
    const effects = runToEnd(
      bodyImage("const f = (): number => f() + 1; try { return f(); } catch (e: any) { return [e.name, e.message]; }"),
    );
    expect(resultOf(effects)).toEqual(["RangeError", "Maximum call stack size exceeded"]);
  });

  it("fuel is counted per input: many inputs may each use nearly all of it", () => {
    const body = "for (let i = 0; i < 20; i++) { await act(i); for (let n = 0; n < 300000; n++); } return 'done';";
    expect(resultOf(runToEnd(bodyImage(body), "null", limits))).toBe("done");
  });

  it("compensations run after an engine error", () => {
    const effects = runToEnd(bodyImage("compensate(undo, 1); compensate(undo, 2); while (true) {}"), "null", limits);
    const calls = effects.flatMap((effect) => (effect.kind === "call" && effect.compensation ? [effect.args] : []));
    expect(calls).toEqual(["[2]", "[1]"]);
    expect(endOf(effects).status).toBe("failed");
  });

  it("a string that many places share is held once", () => {
    const body = `const doc = "d".repeat(1000000); const refs = []; for (let i = 0; i < 50; i++) refs.push({ doc });
      let n = 0; for (let k = 0; k < 100000; k++) n += [k].length; return [refs.length, n];`;
    expect(resultOf(runToEnd(bodyImage(body), "null", limits))).toEqual([50, 100_000]);
  });

  it("garbage does not count: what is dropped may be made again and again", () => {
    const body = "let last = ''; for (let i = 0; i < 30000; i++) last = ('y'.repeat(500) + i); return last.length;";
    expect(resultOf(runToEnd(bodyImage(body), "null", limits))).toBe(505);
  });
});
