import { expect, it } from "vitest";
import { until } from "../support/test-engine.ts";
import { watch } from "../support/test-live.ts";
import { openRest } from "../support/test-rest.ts";
import { approved, family, sums, undone } from "../workflows/basics.ts";

it("times of a run never fall in its order, although who holds it is behind the database's time", async () => {
  const rest = await openRest();
  const parked = "SELECT FROM cairn.queue WHERE run_id = $1 AND state = 'parked'";
  // What happens next is the first that those hear who hold runs.
  const later = (): Promise<unknown> => rest.bed.query("UPDATE cairn.test_clock SET passed = passed + interval '5 s'");
  const ids: string[] = [];
  for (const [type, payload] of [
    [sums.name, { n: 1 }],
    [undone.name, "x"],
    [family.name, 3],
  ] as const) {
    await later();
    ids.push(await rest.start(type, payload));
    await rest.result(ids.at(-1)!);
  }
  const waits = await rest.start(approved.name);
  for (const value of ["one", "two"]) {
    await until(async () => (await rest.bed.query(parked, waits)).length > 0);
    await later();
    await rest.ask("POST", `/runs/${waits}/signal`, { name: "approval", value });
  }
  await Promise.all([...ids, waits].map((id) => rest.result(id)));
  await until(async () => (await rest.bed.query("SELECT FROM cairn.queue")).length === 0);
  const runs = await rest.bed.query<{ id: string }>("SELECT id FROM cairn.runs");
  expect(runs.length).toBe(4 + 3);
  for (const { id } of runs) {
    const watcher = await watch(`http://127.0.0.1:${rest.plane.httpPort}/v1/runs/${id}/stream`);
    await watcher.ended;
    const times = watcher.said.slice(0, -1).map(({ data }) => `${data["at"]}`);
    const kinds = watcher.said.map(({ data }) => data["kind"]).join(" ");
    expect(times, kinds).toEqual(times.toSorted());
    const { body } = await rest.ask("GET", `/runs/${id}/timeline?limit=1000&kind=event,input`);
    const way = body["items"] as { kind: string; title: string }[];
    expect(way[0]).toMatchObject({ title: "created" });
    // What came of the last input is behind it, though both are of one millisecond.
    expect(way.at(-1)).toMatchObject({ kind: "event", title: expect.stringMatching(/^(succeeded|failed)$/) });
  }
});
