import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { cleanUp } from "../support/cleanups.ts";
import { openRaw, rawPost } from "../support/raw-http.ts";
import { until } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";
import { echo } from "../workflows/basics.ts";

const LARGE = "x".repeat(12 * 1024 * 1024);
/** More than one may have on the way at one time. */
const DEAF = 8;

const MEDIUM = "x".repeat(3.9 * 1024 * 1024);

const batchOf = (count: number): object => ({
  runs: Array.from({ length: count }, (_, n) => ({
    type: echo.name,
    payload: `run ${n}`,
    runAt: "2126-01-01T00:00:00Z",
  })),
});

/** Asks for a result, and does not read it. */
async function deafTo(port: number, id: string): Promise<void> {
  const socket = await openRaw(port);
  cleanUp(async () => void socket.destroy());
  socket.on("error", () => {});
  socket.pause();
  socket.write(`GET /v1/runs/${id}/result HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer deaf\r\n\r\n`);
}

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
  for (let index = 0; index < DEAF; index++) await deafTo(rest.plane.httpPort!, id);
  await setTimeout(3_000);
  const again = await rest.ask("GET", `/runs/${id}/result`, undefined, deaf);
  expect([again.status, again.body["code"]]).toEqual([429, "RateLimited"]);
  expect((await rest.ask("GET", "/me", undefined, deaf)).status).toBe(200);
  expect((await rest.result(id)).status).toBe(200);
  await setTimeout(12_000);
  expect((await rest.ask("GET", `/runs/${id}/result`, undefined, deaf)).status).toBe(200);
  expect(rest.warnings).toEqual([]);
});

it("what was done is answered and written down, though there is no room for large answers", async () => {
  const tokens = [{ token: "worker" }, { token: "deaf" }];
  const rest = await openRest({ token: "worker", tokens });
  const [large, medium] = await Promise.all([rest.start(echo.name, LARGE), rest.start(echo.name, MEDIUM)]);
  await Promise.all([rest.result(large), rest.result(medium)]);
  // 5 times 12 MB and one of 3.9 MB: next to nothing is left of 64 MB.
  for (const id of [large, large, large, large, large, medium]) await deafTo(rest.plane.httpPort!, id);
  await setTimeout(3_000);
  const deaf = { authorization: "Bearer deaf" };
  expect((await rest.ask("GET", `/runs/${medium}/result`, undefined, deaf)).status).toBe(429);
  const { status, body } = await rest.ask("POST", "/runs/batch", batchOf(6_000), deaf);
  expect([status, (body["items"] as unknown[]).length]).toEqual([200, 6_000]);
  const { body: audit } = await rest.ask("GET", "/audit?action=run.batch");
  expect(audit["items"]).toMatchObject([{ status: 200, detail: { runs: 6_000, started: 6_000 } }]);
});

it("a large answer waits for the audit log as long as that takes", async () => {
  const rest = await openRest();
  await rest.bed.query("BEGIN");
  await rest.bed.query("LOCK TABLE cairn.audit_log IN ACCESS EXCLUSIVE MODE");
  const answer = rest.ask("POST", "/runs/batch", batchOf(6_000));
  await until(async () => {
    const [all] = await rest.bed.query<{ count: number }>("SELECT count(*)::int AS count FROM cairn.runs");
    return all!.count === 6_000;
  });
  await setTimeout(12_000);
  await rest.bed.query("COMMIT");
  const { status, body } = await answer;
  expect([status, (body["items"] as unknown[]).length]).toEqual([200, 6_000]);
  expect(rest.warnings).toEqual([]);
});
