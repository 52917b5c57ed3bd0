import { type Scope, SCOPES } from "@cairnjs/schemas";
import { expect } from "vitest";
import { type RawData, WebSocket } from "ws";
import { cleanUp } from "../support/cleanups.ts";

/** Who asks, of the server that is asked. */
export interface Askers {
  readonly port: number;
  readonly things: { readonly id: string };
  readonly dead: Readonly<Record<string, string>>;
  readonly scoped: Readonly<Record<Scope, string>>;
  /** Of another namespace. */
  readonly stranger: string;
}

interface Message {
  readonly op: string;
  readonly code?: string;
}

const STATUSES: Readonly<Record<string, string>> = {
  Unauthenticated: "401",
  Forbidden: "403",
  WrongNamespace: "403",
  NotFound: "404",
};

/** What can be subscribed to, and by whom. */
const TOPICS: readonly { readonly name: string; readonly takes: readonly Scope[] }[] = [
  { name: "run:ID", takes: ["read", "operate", "admin"] },
  { name: "run:*", takes: ["read", "operate", "admin"] },
  { name: "audit:*", takes: ["admin"] },
];

/** Rows of the table: for who connects, and for each topic. */
export async function topicRows(askers: Askers): Promise<string[][]> {
  const connecting = await cellsOf(askers, null);
  // Browsers give no headers: who comes without a key says it in his first message, and can do nothing before.
  expect(connecting).toEqual(["yes", "401", "yes", "yes", "yes", "yes", "403", ""]);
  const rows = [["`GET /ws`", ...connecting]];
  for (const { name, takes } of TOPICS) {
    const cells = await cellsOf(askers, name);
    const byScope = SCOPES.map((scope) => (takes.includes(scope) ? "yes" : "403"));
    expect(cells, name).toEqual(["401", "401", ...byScope, "403", name === "run:ID" ? "404" : ""]);
    rows.push([`\`/ws\`, \`${name}\``, ...cells]);
  }
  return rows;
}

async function cellsOf({ port, things, dead, scoped, stranger }: Askers, topic: string | null): Promise<string[]> {
  const said = (token?: string, query = ""): Promise<string> =>
    asked(port, token, topic?.replace("ID", things.id) ?? null, query);
  const none = await said();
  const over = new Set(await Promise.all(Object.values(dead).map((key) => said(key))));
  expect(over.size).toBe(1);
  const byScope = await Promise.all(SCOPES.map((scope) => said(scoped[scope])));
  const named = await said(stranger, "?namespace=default");
  const theirs = topic === "run:ID" ? await said(stranger) : "";
  return [none, ...over, ...byScope, named, theirs];
}

/** What is answered to who connects and, if there is a topic, subscribes to it. */
function asked(port: number, token: string | undefined, topic: string | null, query: string): Promise<string> {
  const socket = opened(port, token, query);
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("unexpected-response", (request, response) => {
      resolve(String(response.statusCode));
      request.destroy();
    });
    socket.on("open", () => {
      if (topic === null) resolve("yes");
      else socket.send(JSON.stringify({ op: "subscribe", topic }));
    });
    socket.on("message", (data) => {
      const { op, code = "" } = messageIn(data);
      resolve(op === "subscribed" ? "yes" : (STATUSES[code] ?? `${op} ${code}`));
    });
  });
}

/** Who listens to topics: all that was said, as text. Resolves when it is subscribed to all of them. */
export async function listening(port: number, token: string, topics: readonly object[]): Promise<() => string> {
  const socket = opened(port, token);
  let heard = "";
  await new Promise<void>((resolve, reject) => {
    let left = topics.length;
    socket.on("error", reject);
    socket.on("open", () => {
      for (const topic of topics) socket.send(JSON.stringify({ op: "subscribe", ...topic }));
    });
    socket.on("message", (data) => {
      const { op, code } = messageIn(data);
      if (op === "error") reject(new Error(code));
      if (op === "subscribed" && --left === 0) resolve();
      heard += `${(data as Buffer).toString()}\n`;
    });
  });
  return () => heard;
}

function opened(port: number, token: string | undefined, query = ""): WebSocket {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws${query}`, { headers });
  cleanUp(async () => socket.terminate());
  return socket;
}

function messageIn(data: RawData): Message {
  return JSON.parse((data as Buffer).toString()) as Message;
}
