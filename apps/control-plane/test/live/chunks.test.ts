import { expect, it } from "vitest";
import { LiveClients } from "../../src/http/live/live-clients.ts";
import { until } from "../support/test-engine.ts";
import { watch } from "../support/test-live.ts";
import { openRest } from "../support/test-rest.ts";
import { approved } from "../workflows/basics.ts";
import { talking, talks } from "../workflows/streaming.ts";

it("what actions stream is told as it comes, after a cursor what came behind it, and then the end", async () => {
  const rest = await openRest();
  const id = await rest.start(talking.name, "over http");
  const url = `http://127.0.0.1:${rest.plane.httpPort}/v1/runs/${id}/chunks`;
  const watcher = await watch(url);
  const talk = await until(async () => talks.find(({ key }) => key === "over http"));
  await talk.stream({ word: "to" });
  const { id: cursor, data } = await watcher.until(({ event }) => event === "message");
  expect(data).toMatchObject({
    call: expect.any(String),
    attempt: 1,
    number: 1,
    value: { word: "to" },
    at: expect.any(String),
  });
  await talk.stream("be");
  talk.end();
  await watcher.ended;
  expect(watcher.said.map(({ event, data: said }) => [event, said["value"]])).toEqual([
    ["message", { word: "to" }],
    ["message", "be"],
    ["end", undefined],
  ]);
  const again = await watch(url, { "last-event-id": cursor! });
  await again.ended;
  expect(again.said.map(({ data: said }) => said["value"])).toEqual(["be", undefined]);
  expect(rest.warnings).toEqual([]);
});

it("events that someone wrote in several lines are one, and long ones are cut", async () => {
  const rest = await openRest();
  const id = await rest.start(approved.name);
  const watchers = [
    await watch(`http://127.0.0.1:${rest.plane.httpPort}/v1/events/stream`),
    await watch(`http://127.0.0.1:${rest.plane.httpPort}/v1/runs/${id}/stream`),
  ];
  const insert = "INSERT INTO cairn.run_events (run_id, kind, data, at) VALUES ($1, 'log', $2, cairn.now())";
  await rest.bed.query(insert, id, '{ "a":\n\r\n1 }');
  await rest.bed.query(insert, id, JSON.stringify("x".repeat(40_000)));
  for (const watcher of watchers) {
    const { data } = await watcher.until((said) => said.data["cut"] === true);
    expect(data).toMatchObject({ kind: "log", data: null });
    expect(watcher.said.find(({ data: { kind } }) => kind === "log")!.data).toMatchObject({ data: { a: 1 } });
  }
});

it("a database that was restored under those who watch ends their streams with that reason", async () => {
  const rest = await openRest();
  await rest.result(await rest.start("test.echo.v1", "x"));
  const watcher = await watch(`http://127.0.0.1:${rest.plane.httpPort}/v1/events/stream`);
  await rest.bed.query("SELECT setval('cairn.event_ids', 1)");
  await watcher.ended;
  expect(watcher.said).toMatchObject([{ event: "dropped", data: { reason: "unknown cursor" } }]);
});

it("those whose right has ended are dropped, and others are not", () => {
  const limits = { clientsMax: 3, clientsPerCallerMax: 2, slowMs: 1, heartbeatMs: 1 };
  const ends = new Map<string, () => void>();
  const clients = new LiveClients(limits, ({ name }, end) => {
    ends.set(name, end);
    return () => ends.delete(name);
  });
  const [ann, bob] = ["ann", "bob"].map((name) => ({ name, scopes: [], namespace: null }));
  const dropped: string[] = [];
  const leave = clients.enter(ann!, "run", (reason) => dropped.push(`ann ${reason}`));
  clients.enter(bob!, "socket", (reason) => dropped.push(`bob ${reason}`));
  ends.get("ann")!();
  expect(dropped).toEqual(["ann access"]);
  leave();
  leave();
  expect([...ends.keys()]).toEqual(["bob"]);
  expect(clients.counts).toEqual({ run: 0, events: 0, chunks: 0, socket: 1 });
  clients.enter(bob!, "run", () => {});
  expect(() => clients.enter(bob!, "run", () => {})).toThrow("bob watches 2 times already");
  clients.enter(ann!, "run", () => {});
  expect(() => clients.enter(ann!, "run", () => {})).toThrow("3 watch this control plane already");
});
