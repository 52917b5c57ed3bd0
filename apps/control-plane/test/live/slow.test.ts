import { connect as connectSocket, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { cleanUp } from "../support/cleanups.ts";
import { scrape } from "../support/scrape.ts";
import { watch } from "../support/test-live.ts";
import { until } from "../support/test-engine.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved } from "../workflows/basics.ts";

/** More than what the system takes for one who does not read. */
const EVENTS = 1_000;
const PORTION = 100;
/** What a steady reader is told, of each topic. */
const STEADY = 300;

/** Some of them. */
async function tellMuch(rest: RestBed, runId: string, from: number): Promise<void> {
  await rest.bed.query(
    `INSERT INTO cairn.run_events (run_id, kind, data, at)
    SELECT $1, 'log', to_json(repeat('x', 30000) || n), cairn.now() FROM generate_series($2::int, $2::int + ${PORTION - 1}) AS n`,
    runId,
    from,
  );
}

/** One who asks, and then reads nothing. */
function deaf(rest: RestBed, path: string): Socket {
  const socket = connectSocket(rest.plane.httpPort!, "127.0.0.1");
  cleanUp(async () => void socket.destroy());
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  return socket;
}

describe("who does not take what he is told", () => {
  it("is dropped with a reason, and nobody else notices", async () => {
    const rest = await openRest({ live: { slowMs: 1_000 } });
    const id = await rest.start(approved.name);
    const one = deaf(rest, "/v1/events/stream");
    const ofRun = deaf(rest, `/v1/runs/${id}/stream`);
    const socket = new WebSocket(`ws://127.0.0.1:${rest.plane.httpPort}/ws`);
    cleanUp(async () => socket.terminate());
    await new Promise((resolve) => socket.on("open", resolve));
    socket.send(JSON.stringify({ op: "subscribe", topic: "run:*" }));
    await new Promise((resolve) => socket.once("message", resolve));
    socket.pause();
    const quick = await watch(`http://127.0.0.1:${rest.plane.httpPort}/v1/events/stream`);
    await until(async () => (await scrape(rest.plane.httpPort)).get('cairn_live_clients{kind="events"}') === 2);
    for (let from = 1; from <= EVENTS; from += PORTION) {
      await tellMuch(rest, id, from);
      await quick.until(({ data }) => String(data["data"]).endsWith(`x${from + PORTION - 1}`));
    }
    expect(quick.said.filter(({ data }) => data["kind"] === "log")).toHaveLength(EVENTS);
    await until(async () => (await scrape(rest.plane.httpPort)).get('cairn_live_dropped_total{reason="slow"}') === 3);
    for (const each of [one, ofRun]) {
      let text = "";
      each.on("data", (bytes) => (text = (text + String(bytes)).slice(-1_000)));
      each.resume();
      await new Promise((resolve) => each.on("close", resolve));
      expect(text).toContain('event: dropped\ndata: {"reason":"slow"}');
    }
    const heard: string[] = [];
    socket.on("message", (data) => heard.push(String(data).slice(0, 100)));
    socket.resume();
    await new Promise((resolve) => socket.on("close", resolve));
    expect(heard.at(-1)).toBe('{"op":"dropped","reason":"slow"}');
    await until(async () => (await scrape(rest.plane.httpPort)).get('cairn_live_clients{kind="run"}') === 0);
    expect(rest.warnings).toEqual([]);
  });

  it("is not dropped as long as he takes something, whatever he is subscribed to and asks meanwhile", async () => {
    const rest = await openRest({ live: { slowMs: 500, heartbeatMs: 50 } });
    const id = await rest.start(approved.name);
    const socket = new WebSocket(`ws://127.0.0.1:${rest.plane.httpPort}/ws`);
    cleanUp(async () => socket.terminate());
    const ends: string[] = [];
    socket.on("close", (code, reason) => ends.push(`${code} ${String(reason)}`));
    await new Promise((resolve) => socket.on("open", resolve));
    const topics = ["run:*", `run:${id}`];
    const told = new Map(topics.map((topic) => [topic, 0]));
    let pongs = 0;
    socket.on("message", (data) => {
      const { op, topic, event } = JSON.parse(String(data)) as { op: string; topic: string; event?: { kind: string } };
      if (op === "pong") pongs += 1;
      if (event?.kind === "log") told.set(topic, told.get(topic)! + 1);
    });
    for (const topic of topics)
      socket.send(JSON.stringify({ op: "subscribe", topic, after: topic === "run:*" ? "0" : "0-0" }));
    await until(async () => (await scrape(rest.plane.httpPort)).get('cairn_live_clients{kind="socket"}') === 1);
    const reading = setInterval(() => {
      socket.resume();
      setTimeout(() => socket.pause(), 4);
      socket.send('{"op":"ping"}');
    }, 100);
    cleanUp(async () => clearInterval(reading));
    for (let from = 1; from <= STEADY; from += PORTION) await tellMuch(rest, id, from);
    const begun = performance.now();
    await until(async () => ends.length > 0 || [...told.values()].every((count) => count === STEADY));
    console.log(`a steady reader: ${((performance.now() - begun) / 1_000).toFixed(1)} s, ${pongs} pongs`);
    expect(ends).toEqual([]);
    expect([...told.values()]).toEqual([STEADY, STEADY]);
    expect((await scrape(rest.plane.httpPort)).get('cairn_live_dropped_total{reason="slow"}')).toBe(0);
  });
});
