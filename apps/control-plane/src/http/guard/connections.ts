import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import type { Problem } from "@cairnjs/schemas/rest";
import { Counts } from "../../counts.ts";
import { problem, problemHeaders } from "../problems.ts";
import { RESPONSE_HEADERS } from "./response-headers.ts";

/** Of all together, and of one address: the rest is refused at once, before it costs anything. */
const CONNECTIONS_MAX = 20_000;
const CONNECTIONS_OF_ADDRESS_MAX = 5_000;

/**
 * Connections of a server, and what is said on one that is refused.
 *
 * Owns how many an address has. I1: nobody has the connections of all. I2: no answer of the parser's is given to a request that came
 * whole: whoever has sent it would take that for its own, and it may have been done.
 */
export class Connections {
  readonly #counts = new Counts();
  /** Those that are not answered yet. */
  readonly #requests = new WeakMap<Socket, Set<IncomingMessage>>();
  readonly #isExempt: (address: string) => boolean;

  /** `isExempt`: a proxy, behind which many are. */
  constructor(isExempt: (address: string) => boolean) {
    this.#isExempt = isExempt;
  }

  /** How many there are, whatever is spoken on them. */
  limit(server: NetServer): void {
    server.maxConnections = CONNECTIONS_MAX;
    server.on("connection", (socket: Socket) => this.#count(socket));
  }

  /** Behind who answers: what is handed on to him goes through here. */
  watch(server: Server): void {
    this.limit(server);
    const listeners = server.listeners("request");
    server.removeAllListeners("request");
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      // The parser reads all that has come, a thousand requests, though the connection was ended at one of them.
      if (request.socket.destroyed) return;
      this.#note(request, response);
      for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
    });
  }

  #note(request: IncomingMessage, response: ServerResponse): void {
    const requests = this.#requests.get(request.socket) ?? new Set();
    this.#requests.set(request.socket, requests.add(request));
    response.once("finish", () => requests.delete(request));
  }

  /** What Node.js's parser, or its watch on slow clients, does not let through to a route. */
  readonly refuse = (error: NodeJS.ErrnoException, socket: Socket): void => {
    const isAsked = [...(this.#requests.get(socket) ?? [])].some(({ complete }) => complete);
    const isHttp = /^(?:HPE_|ERR_HTTP_)/.test(error.code ?? "");
    // Nobody is there any more, or has agreed on TLS; or one is being answered, and this is not about it.
    if (!isHttp || !socket.writable || isAsked) {
      socket.destroy();
      return;
    }
    socket.end(rawProblem(problemOfParser(error.code)));
  };

  readonly tooLate = (socket: Socket): void => {
    this.refuse(Object.assign(new Error("The request took too long"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);
  };

  #count(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    if (this.#isExempt(address)) return;
    const count = this.#counts.add(address, 1);
    socket.once("close", () => this.#counts.add(address, -1));
    if (count > CONNECTIONS_OF_ADDRESS_MAX) socket.destroy();
  }
}

/** A problem as it goes over the line, where nothing of Fastify answers: the last on its connection. */
export function rawProblem(said: Problem, others: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(said);
  const headers = {
    ...RESPONSE_HEADERS,
    ...problemHeaders(said),
    ...others,
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${said.status} ${said.title}`, ...lines, "", text].join("\r\n");
}

function problemOfParser(code: string | undefined): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return problem(431, "InvalidMessage", "The headers are too large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return problem(408, "InvalidMessage", "The request took too long to arrive");
  return problem(400, "InvalidMessage", "This is no request of HTTP/1.1");
}
