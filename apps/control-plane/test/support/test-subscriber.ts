import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { until } from "./test-engine.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: ReceivedEvent;
  /** What it was answered. */
  readonly status: number;
}

export interface ReceivedEvent {
  readonly specversion: string;
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly time: string;
  readonly data: { readonly number: number; readonly poison: boolean } & Record<string, unknown>;
}

/** A subscriber over real HTTP, that answers as the test says. */
export interface TestSubscriber {
  readonly url: string;
  /** Everything it was sent, in order. */
  readonly received: Received[];
  /** What it has taken. */
  taken(): ReceivedEvent[];
  /** Numbers that it has taken of a run, each where it came first. */
  numbersOf(runId: string): number[];
  untilTaken(count: number): Promise<ReceivedEvent[]>;
  /** 0: it breaks the connection. */
  answer: (event: ReceivedEvent) => number | Promise<number>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function testSubscriber(): Promise<TestSubscriber> {
  let server: Server | null = null;
  let port = 0;
  const start = async (): Promise<void> => {
    server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", async () => {
        const event = JSON.parse(body) as ReceivedEvent;
        const status = await subscriber.answer(event);
        subscriber.received.push({ headers: request.headers, body, event, status });
        if (status === 0) return void request.socket.destroy();
        response.writeHead(status, status === 302 ? { location: "http://127.0.0.1:9/" } : {}).end();
      });
    });
    await new Promise<void>((resolve) => server!.listen(port, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const stop = async (): Promise<void> => {
    const stopping = server;
    server = null;
    stopping?.closeAllConnections();
    if (stopping !== null) await new Promise((resolve) => stopping.close(resolve));
  };
  await start();
  onTestFinished(stop);
  const subscriber: TestSubscriber = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    taken: () => subscriber.received.filter(({ status }) => status >= 200 && status < 300).map(({ event }) => event),
    numbersOf: (runId) => [
      ...new Set(
        subscriber
          .taken()
          .filter(({ subject }) => subject === runId)
          .map(({ data }) => data.number),
      ),
    ],
    untilTaken: (count) =>
      until(async () => {
        const ids = new Set(subscriber.taken().map(({ id }) => id));
        return ids.size >= count && subscriber.taken();
      }),
    answer: () => 204,
    start,
    stop,
  };
  return subscriber;
}

/** The numbers from 0 on. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
