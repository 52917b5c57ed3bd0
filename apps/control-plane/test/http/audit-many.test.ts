import { expect, it } from "vitest";
import { openRest } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

interface Entry {
  readonly who: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

it("who started runs by a batch, and who changed them in bulk, is found by each of them, and in its timeline", async () => {
  const rest = await openRest({ tokens: [{ token: "boss" }], token: "boss" });
  const runAt = "2126-01-01T00:00:00Z";
  const runs = [
    { type: approved.name, runAt, tags: ["a"] },
    { type: sums.name, payload: { n: 1 } },
    { type: "none.v1" },
  ];
  const { body } = await rest.ask("POST", "/runs/batch", { runs });
  const [waiting, ended] = (body["items"] as { id: string }[]).map(({ id }) => id) as [string, string];
  await rest.result(ended);
  await rest.ask("POST", "/runs/bulk", { action: "cancel", filter: { type: [approved.name, sums.name] } });
  await rest.ask("POST", "/runs/bulk", { action: "delete", filter: { type: "none.*" } });
  const entriesOf = async (id: string): Promise<Entry[]> =>
    (await rest.ask("GET", `/audit?runId=${id}&sort=at`)).body["items"] as Entry[];
  const batch = {
    action: "run.batch",
    detail: { runs: 3, started: 2, types: [approved.name, sums.name, "none.v1"] },
  };
  const cancel = { action: "run.bulk", detail: { action: "cancel", matched: 2, done: 1 } };
  expect(await entriesOf(waiting)).toMatchObject([batch, cancel]);
  // It had ended: nothing was done to it.
  expect(await entriesOf(ended)).toMatchObject([batch]);
  const { body: line } = await rest.ask("GET", `/runs/${waiting}/timeline`);
  const titles = (line["items"] as { kind: string; title: string }[]).filter(({ kind }) => kind === "audit");
  expect(titles.map(({ title }) => title.split(" by ")[0])).toEqual(["run.batch", "run.bulk"]);
  // In another namespace nobody did anything.
  expect((await rest.ask("GET", `/audit?runId=${waiting}&namespace=other`)).body["items"]).toEqual([]);
  expect(rest.warnings).toEqual([]);
});
