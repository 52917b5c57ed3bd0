import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Output } from "../../output/output.ts";
import { RestClient } from "../../rest/rest-client.ts";
import { watchRun } from "./watch.ts";

const ID = "01a1e132-de58-71fb-8068-ee4ac1b759f6";
const RUN = {
  id: ID,
  status: "leased",
  phase: "running",
  waitingFor: null,
  lastError: null,
  runAt: "2026-11-15T00:00:00Z",
};

it("goes on over control planes that close, have no database, break off and do not answer", async () => {
  const ends = [
    { code: "Closed", detail: "This Cairn was closed" },
    { code: "Unavailable", detail: "There is no database" },
    null,
    { id: ID, status: "leased", phase: "running" },
    { id: ID, status: "failed", phase: null, error: "no" },
  ];
  const server = createServer((request, response) => {
    const path = new URL(request.url!, "http://x").pathname;
    const answer = path.endsWith("/result") ? ends.shift() : path.endsWith(ID) ? RUN : { items: [], next: null };
    if (answer === null || answer === undefined) return void request.socket.destroy();
    response.writeHead("code" in answer ? 503 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer));
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
  expect(await watchRun(client, ID, {}, new Output(stream("out"), stream("err")))).toBe(1);
  expect(texts.out).toBe('… running\n✗ failed "no"\n');
  // Once for each time that nobody was there.
  expect(texts.err).toBe("cairn: Closed: This Cairn was closed; it is tried again\n");
});
