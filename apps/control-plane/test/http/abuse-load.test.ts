import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { openRaw, rawPost, sayRaw } from "../support/raw-http.ts";
import { testBed } from "../support/test-engine.ts";

const app = fileURLToPath(new URL("./plane-app.mjs", import.meta.url));
const IDLE = 1_000;
const SLOW = 200;
const LARGE = 10;
const BATCHES = 3;
const LARGE_BYTES = 100 * 1024 * 1024;
const FLOODS = 500;
/** What all of them together may leave behind, less than bodies and batches may have at one time (384 MB), and what a second time may take more. */
const WORST_BYTES_MAX = 320 * 1024 * 1024;
const AGAIN_MAX = 1.2;
/** The median of another client beside those who say nothing, of that without them. */
const SLOWER_MAX = 3;
/** Of another client in the flood; those who make it are on the same processors. */
const WORST_MS_MAX = 8_000;

class PlaneProcess {
  readonly #child: ChildProcess;
  readonly warnings: string[] = [];

  constructor(url: string) {
    this.#child = fork(app, { execArgv: ["--expose-gc"], env: { ...process.env, DATABASE_URL: url } });
    this.#child.on("message", (said: { warning?: string }) => said.warning && this.warnings.push(said.warning));
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  port(): Promise<number> {
    return this.#hear("port");
  }

  memory(): Promise<number> {
    const said = this.#hear("rss");
    this.#child.send("memory");
    return said;
  }

  #hear(what: "port" | "rss"): Promise<number> {
    return new Promise((resolve) => {
      const listen = (said: Readonly<Record<string, number>>): void => {
        if (said[what] === undefined) return;
        this.#child.off("message", listen);
        resolve(said[what]);
      };
      this.#child.on("message", listen);
    });
  }
}

/** Of requests one after the other: median and worst. */
async function latency(port: number, times: number): Promise<{ readonly median: number; readonly worst: number }> {
  const all: number[] = [];
  for (let time = 0; time < times; time++) {
    const before = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/v1/runs`);
    expect(response.status).toBe(200);
    await response.text();
    all.push(performance.now() - before);
  }
  all.sort((a, b) => a - b);
  return { median: all[Math.floor(times / 2)]!, worst: all.at(-1)! };
}

/** The least of several medians: others use this machine too. */
async function calmMedian(port: number): Promise<number> {
  const medians: number[] = [];
  for (let block = 0; block < 6; block++) medians.push((await latency(port, 50)).median);
  return Math.min(...medians);
}

/** Of a connection that is left alone: what it is told, and when it ends. */
function fateOf(socket: Socket): Promise<{ readonly status: string; readonly afterMs: number }> {
  const before = performance.now();
  let text = "";
  socket.on("data", (part) => (text += part.toString("latin1")));
  socket.on("error", () => {});
  return new Promise((resolve) => {
    socket.on("close", () => {
      resolve({ status: /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "none", afterMs: performance.now() - before });
    });
  });
}

const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** Sends 100 MB in chunks, as long as anybody takes it. */
async function sendLarge(port: number, path: string): Promise<{ readonly status: string; readonly sent: number }> {
  const socket = await openRaw(port, rawPost(path, "", ["transfer-encoding: chunked"]));
  const fate = fateOf(socket);
  const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(0x10000, 32), Buffer.from("\r\n")]);
  let sent = 0;
  while (sent < LARGE_BYTES && !socket.destroyed && socket.writable) {
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), fate]);
    sent += chunk.length;
  }
  socket.end();
  return { status: (await fate).status, sent };
}

/** Bodies of 100 MB that do not say so, headers without end, and what is no JSON, all at once; the worst that another client sees. */
async function floodBeside(port: number): Promise<number> {
  const over = new AbortController();
  const others = (async (): Promise<number> => {
    let worst = 0;
    while (!over.signal.aborted) worst = Math.max(worst, (await latency(port, 5)).worst);
    return worst;
  })();
  const flood = `GET /v1/runs HTTP/1.1\r\nhost: localhost\r\n${"x-flood: aaaaaaaaaaaaaaaa\r\n".repeat(1_000)}\r\n`;
  const deep = rawPost("/v1/runs", `{"type":"x","payload":${"[".repeat(400_000)}`);
  const [large, batches, floods, nested] = await Promise.all([
    many(LARGE, () => sendLarge(port, "/v1/runs")),
    many(BATCHES, () => sendLarge(port, "/v1/runs/batch")),
    many(FLOODS, () => sayRaw(port, flood)),
    many(50, () => sayRaw(port, deep)),
  ]);
  over.abort();
  expect(floods.filter(({ statuses }) => statuses.join() !== "431").map(({ text }) => text)).toEqual([]);
  // Some are too many at one time, or do not get through in time.
  expect(
    nested.filter(({ statuses }) => !["400", "408", "429"].includes(statuses.join())).map(({ text }) => text),
  ).toEqual([]);
  // 16 MB are read, and no more; whoever does not stop hears of it, or is cut off.
  for (const { status, sent } of large) {
    expect(["413", "429", "none"]).toContain(status);
    expect(sent).toBeLessThan(LARGE_BYTES / 2);
  }
  // Of a batch, 64 MB.
  for (const { status, sent } of batches) {
    expect(["413", "429", "none"]).toContain(status);
    expect(sent).toBeLessThan(LARGE_BYTES * 0.9);
  }
  return others;
}

it("who says nothing, too much or the wrong thing costs little, and disturbs no one", async () => {
  const plane = new PlaneProcess((await testBed()).url);
  const port = await plane.port();
  await latency(port, 200);
  const alone = await calmMedian(port);
  const before = await plane.memory();

  // Connections that were used once and are kept, and those that are half open: of headers, and of bodies.
  const kept = await many(IDLE, () => openRaw(port, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"));
  const slowHeaders = await many(SLOW, () => openRaw(port, "GET /v1/runs HTTP/1.1\r\nhost: ca"));
  const slowBodies = await many(SLOW, () => openRaw(port, rawPost("/v1/runs", '{"ty', ["content-length: 400"])));
  const silent = await many(SLOW, () => openRaw(port));
  const fates = [slowHeaders, slowBodies, silent].map((sockets) => Promise.all(sockets.map(fateOf)));
  for (const socket of kept) socket.on("error", () => {});
  const beside = await calmMedian(port);
  const idle = await plane.memory();
  const [headers = [], bodies = [], nothing = []] = await Promise.all(fates);
  expect(new Set(headers.map(({ status }) => status))).toEqual(new Set(["408"]));
  expect(new Set(bodies.map(({ status }) => status))).toEqual(new Set(["408"]));
  expect(Math.max(...headers.map(({ afterMs }) => afterMs))).toBeLessThan(12_000);
  expect(Math.max(...bodies.map(({ afterMs }) => afterMs))).toBeLessThan(20_000);
  expect(Math.max(...nothing.map(({ afterMs }) => afterMs))).toBeLessThan(12_000);
  expect(kept.filter((socket) => socket.destroyed)).toEqual([]);

  // The first time, what is taken stays with the allocator.
  const worst = await floodBeside(port);
  await floodBeside(port);
  const busy = await plane.memory();
  await floodBeside(port);
  const again = await plane.memory();
  for (const socket of kept) socket.destroy();
  const after = await calmMedian(port);
  const mb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
  console.log(
    `median ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside ${IDLE + 3 * SLOW} idle connections,`,
    `${after.toFixed(2)} ms after; worst of others in the flood ${worst.toFixed(0)} ms;`,
    `RSS ${mb(before)}, idle +${mb(idle - before)}, flood +${mb(busy - before)}, the next +${mb(again - before)}`,
  );
  expect(beside / alone).toBeLessThan(SLOWER_MAX);
  expect(worst).toBeLessThan(WORST_MS_MAX);
  expect(idle - before).toBeLessThan(WORST_BYTES_MAX);
  expect(busy - before).toBeLessThan(WORST_BYTES_MAX);
  expect(again / busy).toBeLessThan(AGAIN_MAX);
  expect(plane.warnings).toEqual([]);
}, 120_000);
