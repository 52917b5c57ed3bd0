import { describe, expect, it } from "vitest";
import type { TestBed } from "../support/test-engine.ts";
import { type Told, watch } from "../support/test-live.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { placesOf } from "../support/told-order.ts";
import { approved, sums } from "../workflows/basics.ts";

function address(rest: RestBed, path: string): string {
  return `http://127.0.0.1:${rest.plane.httpPort}/v1${path}`;
}

/** Kinds of events, and numbers of inputs. */
async function toldOf(rest: RestBed, id: string): Promise<(string | number)[]> {
  const watcher = await watch(address(rest, `/runs/${id}/stream`));
  await watcher.ended;
  expect(watcher.said.at(-1)).toMatchObject({ event: "end" });
  return placesOf(watcher.said.slice(0, -1).map(({ data }) => data as unknown as Told));
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

describe("what is told of a run is in the order of the run", () => {
  it("if it has more inputs than are read at a time", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 350 });
    await rest.result(id);
    expect(await toldOf(rest, id)).toEqual(["created", 1, "started", ...upTo(351).slice(1), "succeeded"]);
  });

  it("if it has more events than are read at a time", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 3 });
    await rest.result(id);
    await addEvents(rest.bed, id, 350, 2);
    const told = await toldOf(rest, id);
    expect(told.slice(0, 6)).toEqual(["created", 1, "started", 2, 3, 4]);
    expect(told.slice(6)).toEqual(["succeeded", ...Array.from({ length: 350 }, () => "log")]);
  });

  it("if very many ask at once for what has happened", async () => {
    const rest = await openRest();
    const ids = await Promise.all(Array.from({ length: 100 }, () => rest.start(sums.name, { n: 3 })));
    await Promise.all(ids.map((id) => rest.result(id)));
    const all = await Promise.all([...ids, ...ids, ...ids].map((id) => toldOf(rest, id)));
    for (const told of all) expect(told).toEqual(["created", 1, "started", 2, 3, 4, "succeeded"]);
  });

  it("if it waits for letters", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    const live = await watch(address(rest, `/runs/${id}/stream`));
    for (const number of [2, 3]) {
      await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value: "yes" });
      await live.until(({ data }) => (data["data"] as { number?: number } | null)?.number === number);
    }
    await live.ended;
    const told = await toldOf(rest, id);
    expect(told.filter((each) => each !== "leased")).toEqual([
      "created",
      1,
      "started",
      2,
      "signalled",
      3,
      "signalled",
      "succeeded",
    ]);
    expect(placesOf(live.said.slice(0, -1).map(({ data }) => data as unknown as Told))).toEqual(told);
  });
});

/** Of someone else, who does not know its inputs. */
async function addEvents(bed: TestBed, id: string, count: number, afterInput: number): Promise<void> {
  await bed.query(
    `INSERT INTO cairn.run_events (run_id, kind, at, after_input)
    SELECT $1, 'log', cairn.now(), $3 FROM generate_series(1, $2::int)`,
    id,
    count,
    afterInput,
  );
}
