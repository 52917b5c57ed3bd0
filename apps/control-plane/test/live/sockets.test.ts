import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { cleanUp } from "../support/cleanups.ts";
import { until } from "../support/test-engine.ts";
import { testKeyOf } from "../support/test-keys.ts";
import { watch } from "../support/test-live.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

type Message = Readonly<Record<string, unknown>> & { readonly event?: Readonly<Record<string, unknown>> };

interface Client {
  readonly heard: Message[];
  /** Code and reason of the end. */
  readonly closed: Promise<readonly [code: number, reason: string]>;
  say(message: unknown): void;
  until(isSo: (message: Message) => boolean): Promise<Message>;
  close(): void;
}

async function connect(
  rest: RestBed,
  options: { query?: string; headers?: Record<string, string> } = {},
): Promise<Client> {
  const { query = "", headers = {} } = options;
  const socket = new WebSocket(`ws://127.0.0.1:${rest.plane.httpPort}/ws${query}`, { headers });
  cleanUp(async () => socket.terminate());
  const heard: Message[] = [];
  let wake = (): void => {};
  socket.on("message", (data) => {
    heard.push(JSON.parse(String(data)) as Message);
    wake();
  });
  const closed = new Promise<readonly [number, string]>((resolve) =>
    socket.on("close", (code, reason) => {
      resolve([code, String(reason)]);
      wake();
    }),
  );
  await new Promise<void>((resolve, reject) => {
    socket.on("open", () => resolve());
    socket.on("error", reject);
  });
  return {
    heard,
    closed,
    say: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    until: async (isSo) => {
      for (;;) {
        const found = heard.find(isSo);
        if (found !== undefined) return found;
        if (socket.readyState === socket.CLOSED) throw new Error(`closed before: ${JSON.stringify(heard.slice(-5))}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    close: () => socket.close(),
  };
}

describe("/ws", () => {
  it("tells of one run until it ends, and after a cursor what came behind it", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 2 });
    const client = await connect(rest);
    const topic = `run:${id}`;
    client.say({ op: "subscribe", topic });
    await client.until(({ op }) => op === "end");
    expect(client.heard[0]).toEqual({ op: "subscribed", topic, cursor: "0-0" });
    const events = client.heard.filter(({ op }) => op === "event").map(({ event }) => event!);
    expect(events.map(({ kind }) => kind)).toContain("succeeded");
    expect(events.filter(({ kind }) => kind === "step")).toHaveLength(3);
    const again = await connect(rest);
    again.say({ op: "subscribe", topic, after: events[2]!["cursor"] });
    await again.until(({ op }) => op === "end");
    const rest2 = again.heard.filter(({ op }) => op === "event").map(({ event }) => event!["at"]);
    expect(rest2).toEqual(events.slice(3).map(({ at }) => at));
  });

  it("tells of all runs by a filter, until that is unsubscribed from", async () => {
    const rest = await openRest();
    const client = await connect(rest);
    client.say({ op: "subscribe", topic: "run:*", filter: { type: "test.sums.*", kind: ["succeeded"] } });
    await client.until(({ op }) => op === "subscribed");
    client.say({ op: "subscribe", topic: "run:*" });
    expect(await client.until(({ op }) => op === "error")).toMatchObject({ code: "InvalidMessage", topic: "run:*" });
    const id = await rest.start(sums.name, { n: 1 });
    await rest.start(approved.name);
    const { event } = await client.until(({ op }) => op === "event");
    expect(event).toMatchObject({ runId: id, type: sums.name, kind: "succeeded", data: null });
    client.say({ op: "unsubscribe", topic: "run:*" });
    await client.until(({ op }) => op === "unsubscribed");
    await rest.result(await rest.start(sums.name, { n: 1 }));
    client.say({ op: "ping" });
    await client.until(({ op }) => op === "pong");
    expect(client.heard.filter(({ op }) => op === "event")).toHaveLength(1);
    client.say({ op: "subscribe", topic: "run:*", after: event!["cursor"], filter: { kind: ["created"] } });
    await client.until((message) => message.event?.["kind"] === "created" && message.event["runId"] !== id);
  });

  it("says where it begins: who was told nothing, and comes back with that, misses nothing", async () => {
    const rest = await openRest();
    const filter = { type: sums.name, kind: ["succeeded"] };
    const client = await connect(rest);
    client.say({ op: "subscribe", topic: "run:*", filter });
    const { cursor } = await client.until(({ op }) => op === "subscribed");
    client.close();
    await client.closed;
    const other = await watch(`http://127.0.0.1:${rest.plane.httpPort}/v1/events/stream`);
    const id = await rest.start(sums.name, { n: 1 });
    await other.until(({ data }) => data["kind"] === "succeeded");
    const again = await connect(rest);
    again.say({ op: "subscribe", topic: "run:*", filter, after: cursor });
    expect(await again.until(({ op }) => op === "event")).toMatchObject({ event: { runId: id } });
  });

  it("says where it is to whom nothing concerns, and not again while nothing happens", async () => {
    const rest = await openRest({ live: { heartbeatMs: 20 } });
    const client = await connect(rest);
    client.say({ op: "subscribe", topic: "run:*", filter: { type: "nothing" } });
    client.say({ op: "subscribe", topic: "audit:*" });
    const { cursor: first } = await client.until(({ op }) => op === "subscribed");
    await rest.result(await rest.start(sums.name, { n: 1 }));
    const { topic, cursor } = await client.until(
      ({ op, cursor: later }) => op === "cursor" && Number(later) > Number(first),
    );
    expect(topic).toBe("run:*");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const cursors = client.heard.filter(({ op }) => op === "cursor").map((message) => Number(message["cursor"]));
    expect(cursors.every((each, index) => index === 0 || each > cursors[index - 1]!)).toBe(true);
    client.say({ op: "unsubscribe", topic: "run:*" });
    client.say({ op: "subscribe", topic: "run:*", after: cursor });
    const next = await rest.start(sums.name, { n: 1 });
    await client.until(({ op, event }) => op === "event" && event?.["runId"] === next && event["kind"] === "succeeded");
  });

  it("says of a message that it does not understand what it is about", async () => {
    const rest = await openRest();
    const client = await connect(rest);
    client.say({ op: "subscribe", topic: "run:*", after: 7 });
    expect(await client.until(({ op }) => op === "error")).toMatchObject({ code: "InvalidMessage", topic: "run:*" });
    client.say({ op: "subscribe", topic: { run: 1 } });
    client.say({ op: "ping" });
    await client.until(({ op }) => op === "pong");
    expect(client.heard[1]).not.toHaveProperty("topic");
  });

  it("says what is wrong with a message, and goes on", async () => {
    const rest = await openRest();
    const client = await connect(rest);
    const wrong = [
      "",
      "[]",
      "{",
      { op: "dance" },
      { op: "ping", more: 1 },
      { op: "subscribe" },
      { op: "subscribe", topic: "x" },
    ];
    const topics = ["run:", "audit:1", "run:nothing", ":*", "constructor:*"].map((topic) => ({
      op: "subscribe",
      topic,
    }));
    const others = [
      { op: "subscribe", topic: "run:*", after: "1-1" },
      { op: "hello", token: 1 },
    ];
    for (const [index, message] of [...wrong, ...topics, ...others].entries()) {
      client.say(message);
      await until(async () => client.heard.length === index + 1);
      expect(client.heard.at(-1), JSON.stringify(message)).toMatchObject({ op: "error", detail: expect.any(String) });
    }
    client.say({ op: "subscribe", topic: "run:*", after: "999999" });
    expect(await client.until(({ op }) => op === "dropped")).toEqual({
      op: "dropped",
      reason: "unknown cursor",
      topic: "run:*",
    });
    for (let index = 0; index < 400; index++) client.say({ op: "ping" });
    await until(async () => client.heard.filter(({ op }) => op === "pong").length === 400);
    client.say("x".repeat(70_000));
    expect((await client.closed)[0]).toBe(1009);
    expect(rest.warnings).toEqual([]);
  });

  it("answers whoever says hello where nobody is asked who he is, as often as he does", async () => {
    const client = await connect(await openRest());
    for (const message of [{ op: "hello" }, { op: "hello", token: "any" }, { op: "subscribe", topic: "run:*" }]) {
      client.say(message);
    }
    await client.until(({ op }) => op === "subscribed");
    expect(client.heard.map(({ op }) => op)).toEqual(["hello", "hello", "subscribed"]);
  });

  it("asks who it is: by a header, or by the first message; pages of others are refused", async () => {
    const tokens = [
      { token: "all" },
      { token: "other", namespace: "other" },
      { token: "work", scopes: ["worker" as const] },
    ];
    const rest = await openRest({ tokens, token: "all" });
    const id = await rest.start(approved.name);
    const authorization = "Bearer all";
    const wrong = new WebSocket(`ws://127.0.0.1:${rest.plane.httpPort}/ws`, {
      headers: { authorization: "Bearer x" },
    });
    const [, refused] = (await once(wrong, "unexpected-response")) as [unknown, IncomingMessage];
    expect([refused.statusCode, refused.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="cairn"']);
    refused.resume();
    const port = rest.plane.httpPort;
    for (const origin of [
      "http://evil.test",
      `https://127.0.0.1:${port}`,
      "http://127.0.0.1",
      `http://localhost:${port}`,
    ]) {
      await expect(connect(rest, { headers: { authorization, origin } }), origin).rejects.toThrow("403");
    }
    await expect(
      connect(rest, { headers: { authorization: "Bearer other" }, query: "?namespace=default" }),
    ).rejects.toThrow("403");
    const own = { authorization, origin: `http://127.0.0.1:${rest.plane.httpPort}` };
    const known = await connect(rest, { headers: own });
    known.say({ op: "subscribe", topic: `run:${id}` });
    await known.until(({ op }) => op === "subscribed");
    known.say({ op: "hello", token: "other" });
    expect(await known.until(({ op }) => op === "error")).toMatchObject({ code: "InvalidMessage" });
    const greeted = await connect(rest);
    greeted.say({ op: "hello", token: "all" });
    await greeted.until(({ op }) => op === "hello");
    greeted.say({ op: "subscribe", topic: `run:${id}` });
    await greeted.until(({ op }) => op === "subscribed");
    for (const first of [{ op: "hello", token: "x" }, { op: "hello" }, { op: "subscribe", topic: "run:*" }]) {
      const strange = await connect(rest);
      strange.say(first);
      expect(await strange.until(({ op }) => op === "error")).toMatchObject({ code: "Unauthenticated" });
      expect((await strange.closed)[0]).toBe(1008);
    }
    const foreign = await connect(rest, { headers: { authorization: "Bearer other" } });
    foreign.say({ op: "subscribe", topic: `run:${id}` });
    expect(await foreign.until(({ op }) => op === "error")).toMatchObject({ code: "NotFound" });
    const worker = await connect(rest, { headers: { authorization: "Bearer work" } });
    worker.say({ op: "subscribe", topic: "run:*" });
    expect(await worker.until(({ op }) => op === "error")).toMatchObject({ code: "Forbidden" });
  });

  it("tells those who may know what people do", async () => {
    const tokens = [{ token: "all" }, { token: "some", scopes: ["operate" as const] }];
    const rest = await openRest({ tokens, token: "all" });
    const client = await connect(rest, { headers: { authorization: "Bearer all" } });
    client.say({ op: "subscribe", topic: "audit:*", filter: { type: "run.*" } });
    await client.until(({ op }) => op === "subscribed");
    const id = await rest.start(approved.name);
    await rest.ask("POST", `/runs/${id}/cancel`, { reason: "enough" });
    const { event } = await client.until((message) => message.event?.["action"] === "run.cancel");
    expect(event).toMatchObject({
      who: expect.stringMatching(/^the token /),
      runId: id,
      detail: { reason: "enough" },
      cursor: expect.any(String),
    });
    const other = await connect(rest, { headers: { authorization: "Bearer some" } });
    other.say({ op: "subscribe", topic: "audit:*" });
    expect(await other.until(({ op }) => op === "error")).toMatchObject({ code: "Forbidden" });
    other.say({ op: "subscribe", topic: "run:*" });
    await other.until(({ op }) => op === "subscribed");
    client.say({ op: "unsubscribe", topic: "audit:*" });
    client.say({ op: "subscribe", topic: "audit:*", filter: { tag: "x" } });
    expect(await client.until(({ op }) => op === "error")).toMatchObject({ code: "InvalidMessage" });
  });

  it("ends with the control plane, and there are so many at most", async () => {
    const rest = await openRest({ live: { clientsMax: 2, clientsPerCallerMax: 1 } });
    const client = await connect(rest);
    client.say({ op: "subscribe", topic: "run:*" });
    await client.until(({ op }) => op === "subscribed");
    await expect(connect(rest)).rejects.toThrow("429");
    await rest.plane.close();
    expect(await client.until(({ op }) => op === "dropped")).toEqual({ op: "dropped", reason: "closing" });
    expect((await client.closed)[0]).toBe(1001);
  });

  it("is nothing for others: no other path is upgraded, and without an upgrade it is not there", async () => {
    const rest = await openRest();
    const url = `127.0.0.1:${rest.plane.httpPort}`;
    const other = new WebSocket(`ws://${url}/v1/runs`);
    const error = await new Promise<Error>((resolve) => other.on("error", resolve));
    expect(error.message).toContain("404");
    expect((await fetch(`http://${url}/ws`)).status).toBe(404);
  });
});

describe("who watches with a key, or the cookie of a login", () => {
  it("watches as long as the key is good, and no longer", async () => {
    const rest = await openRest({ tokens: [{ token: "t" }], token: "t" });
    const key = await testKeyOf(rest.bed, ["read"]);
    const headers = { authorization: `Bearer ${key.key}` };
    const origin = `http://127.0.0.1:${rest.plane.httpPort}`;
    const login = await fetch(`${origin}/v1/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key: key.key }),
    });
    const cookie = login.headers.get("set-cookie")!.split(";", 1)[0]!;
    const stream = await watch(`${origin}/v1/events/stream`, headers);
    const sockets = [
      await connect(rest, { headers }),
      await connect(rest, { headers: { cookie, origin } }),
      await connect(rest),
    ];
    sockets[2]!.say({ op: "hello", token: key.key });
    for (const socket of sockets) {
      socket.say({ op: "subscribe", topic: "run:*" });
      await socket.until(({ op }) => op === "subscribed");
      // It takes the scope admin.
      socket.say({ op: "subscribe", topic: "audit:*" });
      expect(await socket.until(({ op }) => op === "error")).toMatchObject({ code: "Forbidden" });
    }
    await rest.ask("DELETE", `/keys/${key.id}`);
    await stream.ended;
    expect(stream.said).toMatchObject([{ event: "dropped", data: { reason: "access" } }]);
    for (const socket of sockets) expect(await socket.closed).toEqual([1008, "access"]);
    await expect(connect(rest, { headers })).rejects.toThrow("401");
  });

  it("is asked again and again only so often, if it is wrong; and a page of another origin has no cookie", async () => {
    const rest = await openRest({ tokens: [{ token: "t" }], token: "t", rate: { perSecond: 500, burst: 2_000 } });
    const answers = [];
    for (let tries = 0; tries < 25; tries++) {
      const headers = { authorization: `Bearer wrong${tries}` };
      answers.push(await connect(rest, { headers }).catch((error: Error) => error.message));
    }
    expect(answers[0]).toContain("401");
    expect(answers.at(-1)).toContain("429");
    const headers = { cookie: "cairn_session=x", origin: "http://evil.example" };
    await expect(connect(rest, { headers })).rejects.toThrow("403");
  });
});
