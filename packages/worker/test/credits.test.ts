import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divideCredits } from "../src/session/credits.ts";

const shares = fc.array(fc.record({ backlog: fc.nat(200), free: fc.nat(100) }), { minLength: 1, maxLength: 6 });

describe("credits", () => {
  it("are all given out, whatever there was before, and never more than there are", () => {
    fc.assert(
      fc.property(fc.nat(300), shares, (free, before) => {
        const after = divideCredits(free, before);
        expect(after.every((each) => Number.isInteger(each) && each >= 0)).toBe(true);
        expect(after.reduce((sum, each) => sum + each, 0)).toBe(free);
      }),
    );
  });

  it("are where calls wait: nobody has more than it could use while another lacks", () => {
    fc.assert(
      fc.property(fc.nat(300), shares, (free, before) => {
        const after = divideCredits(free, before);
        const lacking = before.some(({ backlog }, index) => after[index]! < backlog);
        const idle = before.some(({ backlog }, index) => after[index]! > Math.max(1, backlog));
        expect(lacking && idle).toBe(false);
      }),
    );
  });

  it("stay where they are as long as nobody lacks any", () => {
    expect(divideCredits(10, [share(0, 7), share(0, 2)])).toEqual([7, 3]);
    expect(divideCredits(9, [share(0, 7), share(0, 2)])).toEqual([7, 2]);
  });

  it("are divided evenly among those who want more than there is", () => {
    expect(divideCredits(100, [share(1_000, 0), share(10, 0), share(1_000, 100)])).toEqual([45, 10, 45]);
    expect(divideCredits(1, [share(0, 1), share(5, 0)])).toEqual([0, 1]);
  });
});

const share = (backlog: number, free: number): { backlog: number; free: number } => ({ backlog, free });
