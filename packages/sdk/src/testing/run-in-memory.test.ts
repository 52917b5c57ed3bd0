import { compile } from "@cairnjs/compiler";
import { decodeNative, type Program } from "@cairnjs/ir";
import { defaultLimits } from "@cairnjs/vm";
import { describe, expect, it } from "vitest";
import { NoHandlerRegistered, SignalTimeout } from "../errors.ts";
import { type RunOptions, type RunReport, runInMemory } from "./run-in-memory.ts";

const PREAMBLE = `
import { action, compensate, emit, mapLimit, progress, runInfo, signal, SignalTimeout, sleep, workflow } from "cairnjs";
const a = action("a", async (x?: unknown) => x);
const b = action("b", async (x?: unknown) => x);
const fail = action("fail", async (x?: unknown) => x);
const approved = signal<number>("approved");
`;

/** Programs of a module, the default export first. */
function programs(source: string): Program[] {
  const text = PREAMBLE + source;
  const { workflows, diagnostics } = compile("main.ts", { resolve: () => null, read: () => text });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return workflows.map(({ program }) => program);
}

/** Runs the default export; handlers echo their argument, `fail` throws it. */
function run(source: string, options: Partial<RunOptions> = {}): Promise<RunReport> {
  const [program, ...others] = programs(source) as [Program, ...Program[]];
  return runInMemory({
    program,
    children: new Map(others.map((child) => [child.name, child])),
    actions: (name) => async (x: unknown) => {
      if (name === "fail") throw x;
      return x;
    },
    ...options,
  });
}

describe("the order of a run in memory", () => {
  it("ends steps in the order they were started, before time goes on", async () => {
    const report = await run(
      `
      export default workflow("main", async () => {
        const seen: string[] = [];
        const note = async (name: string, work: Promise<unknown>) => { await work; seen.push(name); };
        await Promise.all([
          note("late", sleep("2 days")), note("soon", sleep(5)), note("soon too", sleep(5)),
          note("a", a(1)), note("b", b(2)), note("signal", approved.wait()),
        ]);
        return seen;
      });`,
      { signals: { approved: [7] } },
    );
    expect(report.result).toEqual(["a", "b", "signal", "soon", "soon too", "late"]);
    expect(report.steps.map(({ action, args, result }) => [action, args, result])).toEqual([
      ["cairn.sleep", [new Date("2026-01-03T00:00:00.000Z")], undefined],
      ["cairn.sleep", [new Date("2026-01-01T00:00:00.005Z")], undefined],
      ["cairn.sleep", [new Date("2026-01-01T00:00:00.005Z")], undefined],
      ["a", [1], 1],
      ["b", [2], 2],
      ["cairn.signal", ["approved"], 7],
    ]);
  });

  it("lets a child go as far as it can when its turn comes", async () => {
    const report = await run(`
      export default workflow("main", async () => {
        const seen: string[] = [];
        const note = async (name: string, work: Promise<unknown>) => { await work; seen.push(name); };
        await Promise.all([note("child", child(3)), note("sleeper", sleeper()), note("b", b())]);
        return seen;
      });
      const child = workflow("child", async (n: number) => { await a(n); await a(n + 1); return n; });
      const sleeper = workflow("sleeper", async () => { await sleep(1); });`);
    expect(report.result).toEqual(["child", "b", "sleeper"]);
    expect(report.steps.map(({ action, args, result }) => [action, args, result])).toEqual([
      ["child", [3], 3],
      ["sleeper", [], undefined],
      ["b", [], undefined],
    ]);
  });

  it("follows a seed repeatably, and different seeds lead to different orders", async () => {
    const source = `
      export default workflow("main", async () => {
        const seen: number[] = [];
        await Promise.all([1, 2, 3, 4, 5].map(async (n) => { seen.push(await a(n) as number); }));
        return [seen, await Promise.race([a("action"), sleep(1000).then(() => "timer")])];
      });`;
    const results = new Map<string, string>();
    for (let seed = 0; seed < 20; seed++) {
      const once = await run(source, { schedule: seed });
      const again = await run(source, { schedule: String(seed) });
      expect(again).toEqual(once);
      results.set(String(seed), JSON.stringify(once.result));
    }
    expect(new Set(results.values()).size).toBeGreaterThan(10);
    expect([...results.values()].some((text) => text.includes("timer"))).toBe(true);
    expect([...results.values()].some((text) => text.includes("action"))).toBe(true);
  });
});

describe("a run in memory", () => {
  it("times out waits in virtual time and leaves what was not sent", async () => {
    const report = await run(
      `
      export default workflow("main", async () => {
        const first = await approved.wait({ timeout: "3 days" });
        const start = Date.now();
        try { await approved.wait({ timeout: "3 days" }); } catch (error) {
          return [first, error instanceof SignalTimeout, Date.now() - start];
        }
      });`,
      { signals: { approved: [1], other: [2] } },
    );
    expect(report.result).toEqual([1, true, 3 * 86_400_000]);
    expect(report.steps[1]?.error).toBeInstanceOf(SignalTimeout);
  });

  it("ends with Stuck when it can only wait, and says for what", async () => {
    const stuck = await run(`export default workflow("main", async () => { await child(); });
      const child = workflow("child", async () => approved.wait());`);
    expect(stuck.error).toMatchObject({
      name: "Stuck",
      message: expect.stringContaining('the signal "approved" (child/'),
    });
    const forever = await run(`export default workflow("main", async () => { await new Promise(() => {}); });`);
    expect(forever.error).toMatchObject({ name: "Stuck", message: expect.stringContaining("nothing settles") });
  });

  it("runs compensations newest first as steps, and keeps the original error", async () => {
    const report = await run(`
      export default workflow("main", async () => {
        compensate(a, "first"); compensate(fail, "second"); compensate(b, "third");
        throw new RangeError("original");
      });`);
    expect(report.error).toBeInstanceOf(RangeError);
    expect(report.steps.map(({ action, args, compensation }) => [action, args, compensation])).toEqual([
      ["b", ["third"], true],
      ["fail", ["second"], true],
      ["a", ["first"], true],
    ]);
    expect(report.events.map(({ kind }) => kind)).toEqual([
      "compensation",
      "compensation",
      "compensation",
      "compensationFailed",
    ]);
  });

  it("cancels children that their parent no longer wants; they undo what they did", async () => {
    const undone: unknown[] = [];
    const report = await run(
      `export default workflow("main", async () => Promise.race([child(), sleep(1).then(() => "timer")]));
       const child = workflow("child", async () => { compensate(b, "undo"); await sleep("52 weeks"); });`,
      { actions: () => async (x: unknown) => undone.push(x) },
    );
    expect(report.result).toBe("timer");
    expect(undone).toEqual(["undo"]);
    expect(report.events).toContainEqual(expect.objectContaining({ kind: "abandoned", node: "main/child" }));
  });

  it("starts detached children, which go on after the run", async () => {
    const calls: unknown[] = [];
    const report = await run(
      `export default workflow("main", async () => { const { id } = await child.start(5); return [id, runInfo().id]; });
       const child = workflow("child", async (n: number) => { await sleep("1 day"); await a([n, runInfo().parent]); });`,
      { actions: () => async (x: unknown) => calls.push(x) },
    );
    const [child, own] = report.result as string[];
    expect(child).not.toBe(own);
    expect(calls).toEqual([[5, own]]);
  });

  it("tells of a detached child that failed", async () => {
    const report = await run(
      `export default workflow("main", async () => (await child.start(-1)).id);
       const child = workflow("child", async (n: number) => { await sleep(1); throw new RangeError("below zero: " + n); });`,
    );
    const [event] = report.events;
    expect(event).toMatchObject({ kind: "detachedFailed", workflow: "child", id: report.result });
    expect(event?.kind === "detachedFailed" && decodeNative(event.error)).toEqual(new RangeError("below zero: -1"));
  });

  it("tells actions it does not have from those that fail, with values thrown as they are", async () => {
    const report = await run(
      `export default workflow("main", async () => {
        const outcomes = await Promise.allSettled([a(), fail("text"), fail({ code: 1 })]);
        return outcomes.map((outcome) => outcome.status === "rejected" ? outcome.reason : null);
      });`,
      { actions: (name) => (name === "a" ? undefined : async (x: unknown) => Promise.reject(x)) },
    );
    const [missing, ...thrown] = report.result as unknown[];
    expect(missing).toBeInstanceOf(NoHandlerRegistered);
    expect(thrown).toEqual(["text", { code: 1 }]);
  });

  it("reports logs, progress and events with the virtual time they happened at", async () => {
    const report = await run(
      `export default workflow("main", async () => {
        console.log("one", { two: 2 });
        await sleep(1000);
        console.warn(new Date(5));
        progress(0.5);
        emit("done.v1", [1]);
      });`,
      { startAt: new Date(1_000_000) },
    );
    expect(report.logs).toEqual([
      { at: 1_000_000, level: "info", args: ["one", { two: 2 }] },
      { at: 1_001_000, level: "warn", args: [new Date(5)] },
    ]);
    expect(report.events).toEqual([
      { at: 1_001_000, kind: "progress", value: "0.5" },
      { at: 1_001_000, kind: "emit", type: "done.v1", data: "[1]" },
    ]);
  });

  it("is the same when it is restored between every two instructions", async () => {
    const source = `
      export default workflow("main", async (input: { items: number[] }) => {
        const sorted = [...input.items].sort((x, y) => y - x);
        const doubled = await mapLimit(sorted, 2, async (n) => (await a(n) as number) * 2);
        const text = "a-b-c".replace(/[a-c]/g, (letter) => letter.toUpperCase());
        const map = new Map([["k", doubled]]);
        try { await fail({ map }); } catch (error) { return { error, text, child: await child(), at: new Date() }; }
      });
      const child = workflow("child", async () => { await sleep(10); return Math.random(); });`;
    const options = { input: { items: [3, 1, 2] } };
    const once = await run(source, options);
    expect(once.result).toMatchObject({ text: "A-B-C", error: { map: new Map([["k", [6, 4, 2]]]) } });
    expect(await run(source, { ...options, restoreEverywhere: true })).toEqual(once);
  });

  it("ends a run that exceeds a limit with the limit's error", async () => {
    const report = await run(`export default workflow("main", async () => { for (;;) await null; });`, {
      limits: { ...defaultLimits, fuelPerInputMax: 10_000 },
    });
    expect(report.error).toMatchObject({ name: "OutOfFuel" });
  });
});
