import { describe, expect, it } from "vitest";
import { defaultLimits, deliver, newMachine, proceed } from "../src/index.ts";
import { bodyImage, failureOf, startInput } from "./runs.ts";

const OBJECT = "const o: any = {}; for (let i = 0; i < n; i++) o['k' + i] = i;";
const TEXTS = "const s = '1'.repeat(n), t = '1'.repeat(n - 1) + '2';";

/** What instructions do, in a time that grows with the size of what they are given. */
const works: readonly (readonly [setup: string, work: string])[] = [
  [OBJECT, "({ ...o })"],
  [OBJECT, "({ x: 1, ...o })"],
  [OBJECT, "const { k1, ...rest } = o"],
  [OBJECT, "for (const key in o) break"],
  [TEXTS, "({ ...(s as any) })"],
  [TEXTS, "[...s]"],
  [TEXTS, "for (const key in s as any) break"],
  [TEXTS, "s === t"],
  [TEXTS, "s !== t"],
  [TEXTS, "s < t"],
  [TEXTS, "s == (t as any)"],
  [TEXTS, "+s"],
  [TEXTS, "(s as any) * 1"],
  [TEXTS, "(s as any) | 0"],
  [TEXTS, "switch (s) { case t: }"],
  [TEXTS, "s.indexOf(t)"],
  [TEXTS, "s.lastIndexOf(t)"],
  [TEXTS, "s.includes(t)"],
  [TEXTS, "s.split(t)"],
  [TEXTS, "s.replaceAll(t, '')"],
  ["const a = Array.from({ length: n }, (_, i) => i);", "[...a]"],
  ["const a = Array.from({ length: n }, (_, i) => i);", "Math.max(...a)"],
  ["const a = Array.from({ length: n }, (_, i) => i);", "const [x, ...rest] = a"],
];

function fuelOf(setup: string, work: string, size: number): number {
  const machine = newMachine(
    bodyImage(`const n = input; ${setup} await act(1); for (let i = 0; i < 20; i++) { ${work}; }`),
  );
  deliver(machine, startInput(String(size)));
  deliver(machine, { kind: "result", at: 2_000, call: "1.0", value: "1" });
  return machine.fuelUsed;
}

describe("fuel", () => {
  it.each(works)("%s %s costs by the size", (setup, work) => {
    const [small, large] = [fuelOf(setup, work, 2_000), fuelOf(setup, work, 32_000)];
    expect(large).toBeGreaterThan(6 * small);
  });

  it.each(works)("%s for (;;) { %s } ends, in slices", (setup, work) => {
    const image = bodyImage(`const n = 5_000; ${setup} for (;;) { ${work}; }`);
    const machine = newMachine(image, { ...defaultLimits, fuelPerInputMax: 5_000_000 });
    let delivery = deliver(machine, startInput(), 100_000);
    let slices = 1;
    while (!delivery.done) {
      const before = machine.fuelUsed;
      delivery = proceed(machine, 100_000);
      if (!delivery.done) expect(machine.fuelUsed - before).toBeLessThan(600_000);
      slices++;
    }
    expect(failureOf(delivery.effects)).toBe("OutOfFuel");
    expect(slices).toBeGreaterThan(5);
  });
});
