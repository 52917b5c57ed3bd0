import { describe, expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { ordering } from "../workflows/looking.ts";

describe("stateAt", () => {
  it("shows functions, places and variables after each input, also once the run has ended", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(ordering, { customer: "Ada", prices: [3, 4] });
    await until(async () => (await run.status()).phase === "waiting");
    await run.signal("approved", true);
    expect(await run.result()).toBe("Ada pays 7");

    const first = await run.stateAt(1);
    expect(first).toMatchObject({
      number: 1,
      phase: "running",
      open: [{ kind: "action", name: "looking.charge", args: [3] }],
      frames: [
        { function: "chargeAll", variables: { charged: [], price: 3, order: { customer: "Ada" } }, frames: [] },
        { function: "ordering", variables: { order: { customer: "Ada", prices: [3, 4] } }, calls: [], frames: [0] },
      ],
    });
    expect(first.at).toBeInstanceOf(Date);
    expect(first.frames[0]!.calls).toEqual([first.open[0]!.call]);
    expect(first.frames[0]!.file).toMatch(/looking\.ts$/);
    expect(first.frames[0]!.line).toBe(11);
    expect(first.frames[1]!.variables).not.toHaveProperty("total");

    const second = await run.stateAt(2);
    expect(second.frames[0]!.variables).toMatchObject({ charged: [3], price: 4 });
    const third = await run.stateAt(3);
    expect(third).toMatchObject({
      open: [{ kind: "signal", name: "approved" }],
      frames: [{ function: "ordering", variables: { total: 7, places: new Map([["Ada", 1]]) } }],
    });
    expect(await run.stateAt(4)).toMatchObject({ phase: "ended", open: [], frames: [] });
    await expect(run.stateAt(5)).rejects.toMatchObject({ code: "NotFound" });
  });
});
