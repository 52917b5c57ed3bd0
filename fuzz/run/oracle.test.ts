import { encodeNative } from "@cairnjs/ir";
import { expect, test } from "vitest";
import { drive } from "./driver.ts";
import { NativeModules } from "./native-module.ts";
import { NativeRun } from "./native-run.ts";
import { withRejections } from "./rejections.ts";
import { type Schedule, schedules } from "./schedule.ts";
import { surroundings } from "./surroundings.ts";
import { type Transcript, showLine } from "./transcript.ts";

const IN_ORDER: Schedule = { seed: 1, failures: 0, cancelBefore: 0, inOrder: true };

function runNatively(body: string, schedule = IN_ORDER): Promise<{ lines: Transcript; endless: boolean }> {
  const source = `import { action, workflow, sleep, signal, compensate } from "cairnjs";
const echo = action("echo", async (value: unknown) => value);
export const signals = { ok: ["yes"] };
export default workflow("main", async () => {\n${body}\n});`;
  return withRejections(async (rejections) => {
    const modules = new NativeModules({ entry: "main.ts", files: { "main.ts": source } }, []);
    const run = new NativeRun(modules, "main", rejections, []);
    const lines = await drive(run, encodeNative(undefined), schedule, surroundings(modules, "main", rejections));
    return { lines, endless: run.endless };
  });
}

async function endOf(body: string, schedule = IN_ORDER): Promise<string> {
  const { lines } = await runNatively(body, schedule);
  return showLine(lines.find(({ what }) => what === "end" || what === "stuck")!);
}

test("promise jobs run as V8 runs them", async () => {
  const race = 'return Promise.race([(async () => Promise.resolve("a"))(), (async () => "b")()]);';
  expect(await endOf(race)).toBe('end succeeded "b"');
});

test("arguments are copied when the call is made, results are fresh", async () => {
  const body = "const o = { n: 1 }; const p = echo(o); o.n = 2; const r = await p; return [o.n, r.n, r === o];";
  expect(await endOf(body)).toBe("end succeeded [2,1,false]");
});

test("a run that can only wait ends as stuck, and one that never ends is cut", async () => {
  expect(await endOf('await signal("never").wait();')).toBe("stuck wait never");
  expect((await runNatively("for (;;) {}")).endless).toBe(true);
});

test("a failed run compensates newest first", async () => {
  const { lines } = await runNatively('compensate(echo, 1); compensate(echo, 2); throw new Error("§x");');
  const calls = lines.filter(({ what }) => what === "call").map(({ values }) => values[0]);
  expect(calls).toEqual(["[2]", "[1]"]);
  expect(lines.at(-2)!.plain).toEqual(["failed"]);
});

test("a rejection that nobody handles is counted, one that is handled later is not", async () => {
  const { lines } = await runNatively(
    "const a = Promise.reject(1); Promise.reject(2); await sleep(5); await a.catch(() => 0);",
  );
  expect(showLine(lines.at(-1)!)).toBe("unhandled 1 2");
});

test("equal schedules give equal runs, others give other orders", async () => {
  const body =
    "const seen = []; await Promise.all([1, 2, 3, 4].map(async (n) => seen.push(await echo(n)))); return seen;";
  const plans = schedules(7, 6).map((plan) => ({ ...plan, failures: 0, cancelBefore: 0 }));
  const ends: string[] = [];
  for (const plan of [...plans, ...plans]) ends.push(await endOf(body, plan));
  expect(ends.slice(0, 6)).toEqual(ends.slice(6));
  expect(new Set(ends).size).toBeGreaterThan(2);
});
