import { describe, expect, it } from "vitest";
import { openWorker } from "../support/open-worker.ts";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { connectTo, startRun } from "../support/test-worker.ts";
import { holding, holds, stepping } from "../workflows/distant.ts";

const held = (key: string, attempt: number) =>
  until(async () => holds.find((each) => each.key === key && each.attempt === attempt));

async function started(client: ReturnType<typeof connectTo>, type: string, input: unknown): Promise<string> {
  // Known once the worker has registered it.
  return until(async () => startRun(client, type, input as never).catch(() => undefined));
}

describe("the worker of packages/worker", () => {
  it("registers workflows, runs their actions and steps, with values that are blobs", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    openWorker(plane.port, ["distant."]);
    const id = await started(connectTo(plane.port), stepping.name, "äb");
    expect((await untilRun(bed, id, ({ status }) => status !== "pending" && status !== "leased")).result).toBe(400_000);
  });

  it("I8: goes on when a control plane is closed, and brings the result to the one that has the run then", async () => {
    const bed = await testBed();
    const first = await openPlane(bed);
    const second = await openPlane(bed);
    const lines: string[] = [];
    openWorker(first.port, ["distant."], { log: (line) => lines.push(line) });
    const id = await started(connectTo(first.port), holding.name, "outlives");
    const { end } = await held("outlives", 1);
    await until(async () => lines.some((line) => line.includes(`Connected to the control plane ${second.id}`)));
    await first.close();
    end("done");
    expect((await untilRun(bed, id, ({ status }) => status === "succeeded")).result).toBe("done");
    expect(holds.filter(({ key }) => key === "outlives")).toHaveLength(1);
  });

  it("hears that a run was cancelled", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    openWorker(plane.port, ["distant."]);
    const id = await started(connectTo(plane.port), holding.name, "cancelled");
    const { signal, end } = await held("cancelled", 1);
    await bed.query("SELECT cairn.cancel_run($1, 'enough')", id);
    await until(async () => signal.aborted);
    end("in vain");
    await untilRun(bed, id, ({ status }) => status === "cancelled");
  });

  it("a call that it aborts while draining is made again elsewhere at once, with what was told", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    const leaving = openWorker(plane.port, ["distant."]);
    const id = await started(connectTo(plane.port), holding.name, "moves");
    const { signal, end } = await held("moves", 1);
    openWorker(plane.port, ["distant."]);
    const drained = leaving.drain(600);
    await until(async () => signal.aborted);
    end("in vain");
    expect(await drained).toEqual({ kind: "drained", unacknowledged: 0 });
    const again = await held("moves", 2);
    expect(again.details).toEqual({ told: 1 });
    again.end("here");
    expect((await untilRun(bed, id, ({ status }) => status === "succeeded")).result).toBe("here");
  });
});
