import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { cleanUp } from "../support/cleanups.ts";
import { RESPONSE_HEADERS } from "../../src/http/guard/response-headers.ts";
import { sayRaw } from "../support/raw-http.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";

const FLOOD = 100_000;
/** Another client, on the same processors as those who flood. */
const OTHERS_MS_MAX = 1_500;
const TEXT = 0x1;
const PING = 0x9;

/** A message as a client sends it. The mask is of zeros: the text stands as it is. */
function frame(text: string, opcode = TEXT): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

interface Flooding {
  readonly socket: Socket;
  /** What it was told, as it came. */
  text(): string;
  readonly ended: Promise<void>;
}

/** A connection to `/ws` on which these are said, as fast as they are taken. */
async function flood(rest: RestBed, frames: Buffer, token?: string): Promise<Flooding> {
  const socket = connect(rest.plane.httpPort!, "127.0.0.1");
  cleanUp(async () => void socket.destroy());
  let text = "";
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const lines = [
    "GET /ws HTTP/1.1",
    "host: localhost",
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
  ];
  socket.write([...lines, "", ""].join("\r\n"));
  await new Promise<void>((resolve) => {
    socket.on("data", (part) => {
      text += part.toString("latin1");
      if (text.includes("\r\n\r\n")) resolve();
      // The connection is closed when both have said so.
      if (/"op":"(dropped|error)"/.test(text)) socket.end();
    });
  });
  socket.write(frames);
  return { socket, text: () => text, ended };
}

const times = (message: Buffer, count = FLOOD): Buffer => Buffer.concat(Array.from({ length: count }, () => message));
const said = (text: string, what: string): number => text.split(what).length - 1;

/** The worst that another one sees until these have ended. */
async function worstBeside(rest: RestBed, floods: readonly Flooding[]): Promise<number> {
  const state = { isOver: false };
  void Promise.all(floods.map(({ ended }) => ended)).then(() => (state.isOver = true));
  let worst = 0;
  while (!state.isOver) {
    const before = performance.now();
    expect((await rest.ask("GET", "/me")).status).toBe(200);
    worst = Math.max(worst, performance.now() - before);
    await setTimeout(10);
  }
  return worst;
}

const open = (): Promise<RestBed> =>
  openRest({
    token: "worker",
    tokens: [{ token: "worker" }, { token: "loud" }],
    rate: { perSecond: 500, burst: 300 },
  });

it("who has not said who he is may say nothing else: the first message is the last", async () => {
  const rest = await open();
  const floods = [await flood(rest, times(frame('{"op":"ping"}'))), await flood(rest, times(frame("x", PING)))];
  expect(await worstBeside(rest, floods)).toBeLessThan(OTHERS_MS_MAX);
  const [ping, control] = floods.map(({ text }) => text());
  expect([said(ping!, "pong"), said(ping!, '"code":"Unauthenticated"')]).toEqual([0, 1]);
  expect(said(control!, "\x8a\x01x")).toBeLessThan(FLOOD / 20);
});

it("who says too much over a connection, or over many, is dropped with a reason; another one is undisturbed", async () => {
  const rest = await open();
  const turns = Buffer.concat([
    frame('{"op":"subscribe","topic":"run:*"}'),
    frame('{"op":"unsubscribe","topic":"run:*"}'),
  ]);
  const messages = [times(frame('{"op":"ping"}')), times(turns), times(frame("x", PING))];
  const floods = await Promise.all(messages.map((each) => flood(rest, each, "loud")));
  expect(await worstBeside(rest, floods)).toBeLessThan(OTHERS_MS_MAX);
  const texts = floods.map(({ text }) => text());
  for (const text of texts) expect(said(text, '{"op":"dropped","reason":"too many messages"}')).toBe(1);
  // As much as he may ask of all else, and what he was given back while he did.
  expect(said(texts.join(), "pong") + said(texts.join(), "subscribed")).toBeLessThan(FLOOD / 20);
  expect(rest.warnings).toEqual([]);
});

it("without limits of callers, a connection has one all the same", async () => {
  const rest = await openRest();
  const one = await flood(rest, times(frame('{"op":"ping"}'), 2_000));
  await one.ended;
  expect(said(one.text(), '"reason":"too many messages"')).toBe(1);
  expect(said(one.text(), "pong")).toBeLessThan(1_000);
});

it("what is refused has the headers that all answers have", async () => {
  const rest = await openRest();
  const upgrade = "GET /nothing HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
  const { text, statuses } = await sayRaw(rest.plane.httpPort!, upgrade);
  expect(statuses).toEqual([404]);
  for (const [name, value] of Object.entries(RESPONSE_HEADERS)) expect(text).toContain(`\r\n${name}: ${value}\r\n`);
});
