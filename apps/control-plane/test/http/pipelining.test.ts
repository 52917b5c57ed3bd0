import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, it } from "vitest";
import { SlowTransfers } from "../../src/http/guard/slow-transfers.ts";
import { Turns } from "../../src/http/guard/turns.ts";
import { whenOver } from "../../src/http/guard/when-over.ts";
import { cleanUp } from "../support/cleanups.ts";
import { openRaw, rawPost, sayRaw } from "../support/raw-http.ts";
import { until } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";

const GET = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const quick = { pace: { graceMs: 200, bytesPerSecond: 64 * 1024 }, lookMs: 10 };

/** A server that does nothing but this, in turn, and quickly loses its patience. */
async function serve(answer: RequestListener): Promise<{ readonly port: number; readonly tooLate: Socket[] }> {
  const tooLate: Socket[] = [];
  const turns = new Turns();
  const slow = new SlowTransfers((socket) => {
    tooLate.push(socket);
    socket.destroy();
  }, quick);
  const server: Server = createServer((request, response) =>
    turns.take(request, response, () => {
      slow.watch(request, response);
      answer(request, response);
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp(async () => {
    slow.close();
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, tooLate };
}

it("requests behind each other on a connection are answered one at a time", async () => {
  let [underWay, most, answered] = [0, 0, 0];
  const { port } = await serve((_, response) => {
    most = Math.max(most, (underWay += 1));
    setImmediate(() => {
      underWay -= 1;
      response.end(String((answered += 1)));
    });
  });
  const { statuses, text, isClosed } = await sayRaw(port, GET.repeat(60), { answers: 60 });
  expect([statuses.length, most, isClosed]).toEqual([60, 1, false]);
  expect([...text.matchAll(/\r\n\r\n(?:\d+\r\n)?(\d+)/g)].map(([, count]) => Number(count))).toEqual(
    Array.from({ length: 60 }, (_, index) => index + 1),
  );
});

it("a connection with too many of them ends, and none of those that wait was begun", async () => {
  let begun = 0;
  const { port } = await serve((request, response) => {
    begun += 1;
    if (request.url === "/now") response.end("now");
  });
  const { statuses, isClosed } = await sayRaw(port, GET.repeat(500));
  expect([statuses, isClosed, begun]).toEqual([[], true, 1]);
  expect((await sayRaw(port, GET.replace("/", "/now"))).statuses).toEqual([200]);
});

it("an answer that is not taken is over, however small, and those behind it are never made", async () => {
  let begun = 0;
  const { port } = await serve((_, response) => {
    begun += 1;
    // More than the system takes by itself.
    response.end(Buffer.alloc(16 * 1024 * 1024));
  });
  const socket = await openRaw(port, GET.repeat(20));
  cleanUp(async () => void socket.destroy());
  socket.on("error", () => {});
  socket.pause();
  await until(async () => begun === 1);
  // It hears of it once it reads.
  await new Promise((resolve) => setTimeout(resolve, 400));
  let length = 0;
  socket.on("data", (part) => (length += part.length));
  socket.resume();
  await once(socket, "close");
  expect(length).toBeLessThan(16 * 1024 * 1024);
  expect(begun).toBe(1);
});

it("a body that came fast and then stands still is too late", async () => {
  const { port, tooLate } = await serve((request) => request.resume());
  const socket = await openRaw(port, rawPost("/", "x".repeat(2_000_000), ["content-length: 2000001"]));
  socket.on("error", () => {});
  await once(socket, "close");
  expect(tooLate).toHaveLength(1);
});

it("the control plane answers requests in turn, and ends a connection with too many of them", async () => {
  const rest = await openRest();
  const port = rest.plane.httpPort!;
  for (const path of ["/openapi.json", "/v1/%zz", "/nothing", "/v1/me"]) {
    const get = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const few = await sayRaw(port, get.repeat(50), { answers: 50 });
    expect([path, few.statuses.length, few.isClosed]).toEqual([path, 50, false]);
    const many = await sayRaw(port, get.repeat(1_000), { answers: 1_000 });
    expect([path, many.statuses.length < 100, many.isClosed]).toEqual([path, true, true]);
  }
  expect((await rest.ask("GET", "/runs")).status).toBe(200);
  expect(rest.warnings).toEqual([]);
});

it("what stands behind an answer that ends its connection is not begun, or is over with it", async () => {
  const over: string[] = [];
  const { port } = await serve((request, response) => {
    whenOver(response, () => over.push(request.url!));
    if (request.url === "/last") response.setHeader("connection", "close");
    response.end("yes");
  });
  const get = (path: string, host = "host: localhost\r\n"): string => `GET ${path} HTTP/1.1\r\n${host}\r\n`;
  expect((await sayRaw(port, get("/last") + get("/behind"))).statuses).toEqual([200]);
  expect(over).toEqual(["/last"]);
  // Node.js itself answers the first one, which says no host.
  expect((await sayRaw(port, get("/strange", "") + get("/after"))).statuses).toEqual([400]);
  await until(async () => over.includes("/after"));
});
