// The cost of delivering an input must not depend on how many came before.
import { deliver, encodeFull } from "@cairnjs/vm";
import { imageOf, start } from "./workflow.mjs";

const source = `
const poll = action("poll", async (n: number) => n);
const stop = action("stop", async () => true);
export default workflow("bench", async () => {
  const stopped = stop();
  let sum = 0;
  for (let n = 0; ; n++) {
    const next = await Promise.race([stopped, poll(n)]);
    if (next === true) return sum;
    sum += Number(next);
  }
});`;
const WINDOW = 2_000;

export async function history() {
  const image = imageOf(source);
  const { machine, effects: first } = start(image);
  let effects = first;
  let delivered = 0;
  const advance = (count) => {
    for (let index = 0; index < count; index++) {
      const call = effects.find(({ kind, action }) => kind === "call" && action === "poll");
      delivered++;
      ({ effects } = deliver(machine, { kind: "result", at: delivered, call: call.id, value: "1" }));
    }
  };
  // Warm up on a run of its own, so that the first window is not the compiler's.
  const warm = start(image);
  for (let index = 0, last = warm.effects; index < 30_000; index++) {
    const call = last.find(({ action }) => action === "poll");
    ({ effects: last } = deliver(warm.machine, { kind: "result", at: index, call: call.id, value: "1" }));
  }
  const windows = {};
  for (const target of [10, 1_000, 100_000]) {
    advance(target - delivered);
    const times = [];
    const bytes = encodeFull(machine).bytes.length;
    for (let round = 0; round < 9; round++) {
      const before = performance.now();
      for (let index = 0; index < WINDOW / 10; index++) advance(1);
      times.push(performance.now() - before);
    }
    // The fastest of the rounds: what other processes take is not ours.
    windows[target] = { us: (Math.min(...times) * 1000) / (WINDOW / 10), bytes };
  }
  const base = windows[10].us;
  return Object.entries(windows).map(([target, { us, bytes }]) => ({
    label: `after ${Number(target).toLocaleString("en")} inputs: ${us.toFixed(2)} µs, snapshot ${bytes} bytes`,
    value: `${(us / base).toFixed(2)} × the first`,
    aim: "at most 1.2 ×",
    blocking: true,
    ok: us / base <= 1.2,
  }));
}
