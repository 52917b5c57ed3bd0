import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { cleanUp } from "../support/cleanups.ts";
import { openRaw, rawPost } from "../support/raw-http.ts";
import { openRest } from "../support/test-rest.ts";
import { echo } from "../workflows/basics.ts";

const LARGE = "x".repeat(12 * 1024 * 1024);
/** More than one may have on the way at one time. */
const DEAF = 8;

/** Says so much of it in each tenth of a second. The status that it is answered with, and when. */
async function trickle(port: number, text: string, each: number): Promise<readonly [status: number, afterMs: number]> {
  const socket = await openRaw(port);
  const before = performance.now();
  const answered = new Promise<string>((resolve) => socket.on("data", (part) => resolve(part.toString("latin1"))));
  const state = { isOver: false };
  socket.on("close", () => (state.isOver = true));
  socket.on("error", () => {});
  void answered.then(() => (state.isOver = true));
  const head = text.indexOf("\r\n\r\n") + 4;
  socket.write(text.slice(0, head));
  for (let at = head; at < text.length && !state.isOver; at += each) {
    socket.write(text.slice(at, at + each));
    await setTimeout(100);
  }
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(await answered)![1]);
  socket.destroy();
  return [status, performance.now() - before];
}

it("a body may take longer than 10 s over a thin line, and not if hardly anything comes of it", async () => {
  const rest = await openRest();
  const body = JSON.stringify({ type: echo.name, payload: "x".repeat(1_500_000) });
  const post = rawPost("/v1/runs", body);
  const port = rest.plane.httpPort!;
  const [thin, loris] = await Promise.all([trickle(port, post, 12_000), trickle(port, post, 10)]);
  expect([thin[0], thin[1] > 11_000]).toEqual([201, true]);
  expect([loris[0], loris[1] < 16_000]).toEqual([408, true]);
});

it("large answers that one does not take are so many, and are cut off; nobody else notices", async () => {
  const tokens = [{ token: "worker" }, { token: "deaf" }];
  const rest = await openRest({ token: "worker", tokens });
  const id = await rest.start(echo.name, LARGE);
  expect((await rest.result(id)).body["result"]).toBe(LARGE);
  const deaf = { authorization: "Bearer deaf" };
  const sockets: Socket[] = [];
  for (let index = 0; index < DEAF; index++) {
    const socket = connect(rest.plane.httpPort!, "127.0.0.1");
    cleanUp(async () => void socket.destroy());
    socket.on("error", () => {});
    socket.pause();
    socket.write(`GET /v1/runs/${id}/result HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer deaf\r\n\r\n`);
    sockets.push(socket);
  }
  await setTimeout(3_000);
  const again = await rest.ask("GET", `/runs/${id}/result`, undefined, deaf);
  expect([again.status, again.body["code"]]).toEqual([429, "RateLimited"]);
  expect((await rest.ask("GET", "/me", undefined, deaf)).status).toBe(200);
  expect((await rest.result(id)).status).toBe(200);
  await setTimeout(12_000);
  expect((await rest.ask("GET", `/runs/${id}/result`, undefined, deaf)).status).toBe(200);
  expect(rest.warnings).toEqual([]);
});
