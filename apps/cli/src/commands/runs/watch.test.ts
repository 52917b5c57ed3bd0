import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Output } from "../../output/output.ts";
import { RestClient } from "../../rest/rest-client.ts";
import { watchRun } from "./watch.ts";

const ID = "01a1e132-de58-71fb-8068-ee4ac1b759f6";
const AT = "2026-11-15T00:00:00.000Z";
const RUN = { id: ID, status: "leased", phase: "running", waitingFor: null, lastError: null, runAt: AT };

function told(cursor: number, kind: string, data: unknown = null): string {
  const event = { cursor: String(cursor), runId: ID, type: "a.b.v1", kind, data, at: AT };
  return `id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`;
}

interface Fake {
  readonly client: RestClient;
  readonly asked: string[];
  readonly output: Output;
  readonly texts: { readonly out: string; readonly err: string };
}

/** Streams are answered one after the other, and all else by its path. */
async function fake(streams: ((response: ServerResponse) => void)[], answers: (path: string) => object): Promise<Fake> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url!, "http://x");
    const part = url.pathname.slice(`/v1/runs/${ID}`.length);
    asked.push(`${part}${url.search}`);
    if (part === "/stream") return streams.shift()!(response);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers(part)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const texts = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      texts[name] += text;
      return true;
    },
  });
  const client = new RestClient({ CAIRN_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { client, asked, texts, output: new Output(stream("out"), stream("err")) };
}

function begun(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(text);
}

function refused(code: string): (response: ServerResponse) => void {
  return (response) =>
    void response
      .writeHead(503, { "content-type": "application/json" })
      .end(JSON.stringify({ code, detail: "There is no database" }));
}

const END = "event: end\ndata: {}\n\n";

it("goes on over control planes that close, have no database, break off and do not answer, and says it once", async () => {
  const { client, output, texts, asked } = await fake(
    [
      (response) => {
        begun(response, told(1, "created"));
        response.end('event: dropped\ndata: {"reason":"closing"}\n\n');
      },
      refused("Unavailable"),
      (response) => void response.destroy(),
      (response) => {
        begun(response, told(2, "started"));
        setTimeout(() => response.end(END), 1_000);
      },
    ],
    (part) => (part === "/result" ? { id: ID, status: "failed", phase: null, error: "no" } : RUN),
  );
  expect(await watchRun(client, ID, {}, output)).toBe(1);
  expect(texts.out.replace("… running\n", "")).toBe('· created\n· started\n✗ failed "no"\n');
  expect(texts.out).toContain("… running\n");
  expect(texts.err).toBe("cairn: The control plane has ended the stream: closing; it is tried again\n");
  // At the beginning, and when it was quiet: nothing is asked for again and again.
  expect(asked.filter((part) => part === "").length).toBeLessThanOrEqual(3);
  expect(asked.filter((part) => part === "/result")).toHaveLength(1);
});

it("reads what the inputs say that end steps, many at once, and watches on one that lives again", async () => {
  const step = (number: number, kind: string) => ({ number, kind, call: `${number}.0`, node: "a/b", name: null });
  const input = (number: number, value: unknown) => ({ number, value, action: "a.charge.v1", startedAt: AT, at: AT });
  const ends = ["pending", "succeeded"];
  const { client, output, texts, asked } = await fake(
    [
      (response) => {
        begun(response, told(1, "step", step(1, "start")) + told(2, "step", step(2, "result")));
        response.end(told(3, "step", step(3, "error")) + END);
      },
      (response) => {
        begun(response, told(4, "step", step(4, "timer")));
        response.end(END);
      },
    ],
    (part) => {
      if (part === "/result") return { id: ID, status: ends.shift(), phase: null, result: 7 };
      return part === "/history" ? { items: [input(2, { receipt: 1 }), input(3, "no")], next: null } : RUN;
    },
  );
  expect(await watchRun(client, ID, { json: true }, output)).toBe(0);
  const lines = texts.out.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ is: "step", name: "a.charge.v1", status: "succeeded", result: { receipt: 1 } }),
    expect.objectContaining({ is: "step", number: 3, status: "failed", error: "no", startedAt: AT, endedAt: AT }),
    // It was removed before it could be read.
    expect.objectContaining({ is: "step", number: 4, kind: "timer", status: "succeeded", startedAt: null }),
    { is: "ended", id: ID, status: "succeeded", phase: null, result: 7 },
  ]);
  expect(asked.filter((part) => part.startsWith("/history"))).toEqual([
    "/history?values=true&cursor=1&limit=200",
    "/history?values=true&cursor=3&limit=200",
  ]);
});
