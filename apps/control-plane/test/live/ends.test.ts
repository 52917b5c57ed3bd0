import { expect, it } from "vitest";
import { until } from "../support/test-engine.ts";
import { watch, type Watcher } from "../support/test-live.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved, sums, undone } from "../workflows/basics.ts";
import { talking, talks } from "../workflows/streaming.ts";

/** Someone who sees all of a stream, and what its end has as its id. */
async function seen(rest: RestBed, path: string, lastId?: string): Promise<Watcher & { readonly endId: string }> {
  const url = `http://127.0.0.1:${rest.plane.httpPort}/v1${path}`;
  const watcher = await watch(url, lastId === undefined ? {} : { "last-event-id": lastId });
  expect(watcher.status).toBe(200);
  await watcher.ended;
  const end = watcher.said.at(-1)!;
  expect(end).toMatchObject({ event: "end", id: expect.stringMatching(/-end$/) as string });
  return { ...watcher, endId: end.id! };
}

async function statusAfter(rest: RestBed, path: string, lastId: string): Promise<number> {
  const headers = { "last-event-id": lastId };
  const response = await fetch(`http://127.0.0.1:${rest.plane.httpPort}/v1${path}`, { headers });
  await response.text();
  return response.status;
}

const textsOf = ({ said }: Watcher): string[] =>
  said.slice(0, -1).map(({ data }) => JSON.stringify({ ...data, cursor: null }));

it("who has seen the end of a run that lived again since goes on behind it, to its new end", async () => {
  const rest = await openRest();
  const id = await rest.start(undone.name, "ends");
  await rest.result(id);
  const path = `/runs/${id}/stream`;
  const first = await seen(rest, path);
  expect(await statusAfter(rest, path, first.endId)).toBe(204);
  expect(await rest.ask("POST", `/runs/${id}/retry`, {})).toMatchObject({ status: 202 });
  await until(async () => (await rest.ask("GET", `/runs/${id}`)).body["status"] === "failed");
  const second = await seen(rest, path, first.endId);
  expect(second.said.slice(0, -1).map(({ data }) => data["kind"])).toContain("failed");
  const whole = await seen(rest, path);
  expect([...textsOf(first), ...textsOf(second)]).toEqual(textsOf(whole));
  expect(second.endId).toBe(whole.endId);
  expect(await statusAfter(rest, path, second.endId)).toBe(204);
});

it("who has seen the end of a run is told what was noted of it later", async () => {
  const rest = await openRest();
  const id = await rest.start(sums.name, { n: 1 });
  await rest.result(id);
  const path = `/runs/${id}/stream`;
  const { endId } = await seen(rest, path);
  await rest.bed.query(
    `INSERT INTO cairn.run_events (run_id, kind, at, after_input)
    VALUES ($1, 'undelivered', cairn.now(), cairn.last_input($1))`,
    id,
  );
  const late = await seen(rest, path, endId);
  expect(late.said).toMatchObject([{ data: { kind: "undelivered" } }, { event: "end" }]);
  expect(await statusAfter(rest, path, late.endId)).toBe(204);
  expect(await statusAfter(rest, path, "strange-end")).toBe(400);
});

it("who has seen the end of what a run streamed is told what it streams when it lives again", async () => {
  const rest = await openRest();
  const id = await rest.start(talking.name, "again");
  const path = `/runs/${id}/chunks`;
  const attempt = (index: number): Promise<(typeof talks)[number]> =>
    until(async () => talks.filter(({ key }) => key === "again")[index]);
  for (const index of [0, 1, 2]) {
    const talk = await attempt(index);
    await talk.stream(index);
    talk.fail(new Error("no"));
  }
  const first = await seen(rest, path);
  expect(first.said.map(({ data }) => data["value"])).toEqual([0, 1, 2, undefined]);
  expect(await statusAfter(rest, path, first.endId)).toBe(204);
  expect(await rest.ask("POST", `/runs/${id}/retry`, {})).toMatchObject({ status: 202 });
  const talk = await attempt(3);
  await talk.stream("more");
  talk.end();
  await rest.result(id);
  const second = await seen(rest, path, first.endId);
  expect(second.said.map(({ data }) => data["value"])).toEqual(["more", undefined]);
  expect(await statusAfter(rest, path, second.endId)).toBe(204);
});

it.each(["stream", "chunks"])("who watches the %s of a run that is deleted need not come again", async (name) => {
  const rest = await openRest();
  const id = await rest.start(approved.name);
  const path = `/runs/${id}/${name}`;
  const watching = seen(rest, path);
  await until(async () => (await rest.ask("GET", `/runs/${id}`)).body["phase"] === "waiting");
  expect((await rest.ask("DELETE", `/runs/${id}`)).status).toBe(202);
  const { endId } = await watching;
  // What has deleted it may come behind that.
  await until(async () => (await statusAfter(rest, path, endId)) === 204);
});
