import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { Problem } from "@cairnjs/schemas/rest";
import { WebSocketServer } from "ws";
import type { Access } from "../../access/access.ts";
import type { Caller } from "../../access/caller.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import { writeRefused } from "../../audit/refused-entry.ts";
import { codeOf } from "../../grpc/status.ts";
import { Refused } from "../../hub/refused.ts";
import type { Engine } from "../../library/engine.ts";
import type { Warn } from "../../warn.ts";
import { namespaceFor } from "../namespace.ts";
import type { TrustedProxies } from "../guard/addresses.ts";
import { Buckets, type Rate } from "../guard/buckets.ts";
import { rawProblem } from "../guard/connections.ts";
import { checkLocal } from "../guard/local-only.ts";
import type { RequestLimits } from "../guard/request-limits.ts";
import { HSTS } from "../guard/response-headers.ts";
import { isOwnOrigin } from "../own-origin.ts";
import { internalProblem, problemOf } from "../problems.ts";
import { type Asked, checkOrigin, credentialOf, whoAsks } from "../who-asks.ts";
import type { LiveClients } from "./live-clients.ts";
import { SocketSession } from "./socket-session.ts";

const PATH = "/ws";
const MESSAGE_BYTES_MAX = 64 * 1024;
/** Of one connection, whoever has it: all that it may be subscribed to, several times at once. */
const MESSAGES: Rate = { perSecond: 50, burst: 500 };

export interface SocketServerOptions {
  readonly engine: Engine;
  readonly access: Access;
  readonly clients: LiveClients;
  readonly audit: AuditLog;
  readonly limits: RequestLimits;
  readonly proxies: TrustedProxies;
  /** Origins of pages that may connect, beside those that this server itself has; `*`: all. */
  readonly origins: readonly string[];
  readonly warn: Warn;
}

/** `/ws`: who asks to speak over a WebSocket there, and may. */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    // Of what came at once, one message in a turn of the event loop: others have theirs between.
    allowSynchronousEvents: false,
    // Sessions answer pings, and count them.
    autoPong: false,
  });
  readonly #sessions = new Set<SocketSession>();

  constructor(server: Server, options: SocketServerOptions) {
    this.#options = options;
    server.on("upgrade", (request, socket, head) => void this.#upgrade(request, socket, head));
  }

  /** All are told, and end. */
  close(): void {
    for (const session of this.#sessions) session.drop("closing");
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const ignore = (): void => void socket.destroy();
    socket.on("error", ignore);
    try {
      const { query, caller } = await this.#admitted(request);
      if (socket.destroyed) return;
      socket.off("error", ignore);
      this.#server.handleUpgrade(request, socket, head, (opened) => {
        const { engine, clients, warn, proxies, limits } = this.#options;
        const messages = new Buckets(MESSAGES, () => performance.now());
        const ip = proxies.addressOf(request);
        const asked = namedBy(request, query);
        const session = new SocketSession(opened, {
          engine,
          clients,
          warn,
          caller,
          callerOf: (token) =>
            this.#known(ip, { socket: request.socket, headers: { authorization: `Bearer ${token}` } }),
          namespaceOf: (who) => namespaceFor(who, asked),
          refused: (error, topic) => this.#refused(request, error, topic),
          admits: (who) => messages.take("").isTaken && (who === null || limits.take(ip, who)?.isTaken !== false),
        });
        this.#sessions.add(session);
        opened.on("close", () => this.#sessions.delete(session));
      });
    } catch (error) {
      const said = problemOf(error);
      await this.#refused(request, error);
      if (said === null) this.#options.warn("A WebSocket cannot be opened", error);
      refuse(socket, said ?? internalProblem());
    }
  }

  /** Rejects if it is refused. `caller` is null if he has to say who he is. */
  async #admitted(request: IncomingMessage): Promise<{ query: URLSearchParams; caller: Caller | null }> {
    const [path, query = ""] = (request.url ?? "").split("?", 2);
    if (path !== PATH || request.headers.upgrade?.toLowerCase() !== "websocket") {
      throw new Refused("NotFound", `Only ${PATH} can be upgraded, to a WebSocket`);
    }
    const { access, clients, origins } = this.#options;
    if (!access.isOn) checkLocal(request, origins);
    const { origin } = request.headers;
    // Browsers send along what they know of us, whoever wrote the page; other programs say no origin.
    if (origin !== undefined && !this.#isAllowed(origin, request)) {
      throw new Refused("Forbidden", `Pages of ${origin} may not connect`);
    }
    const parameters = new URLSearchParams(query);
    const caller = await this.#callerOf(request);
    if (caller !== null) {
      namespaceFor(caller, namedBy(request, parameters));
      clients.check(caller);
    }
    return { query: parameters, caller };
  }

  /** Written down, if someone who is known may not do it. */
  #refused(request: IncomingMessage, error: unknown, topic?: string): Promise<void> {
    const { audit, proxies } = this.#options;
    const query = new URLSearchParams(request.url?.split("?", 2)[1]);
    return writeRefused(audit, error, {
      action: topic === undefined ? "ws.connect" : "ws.subscribe",
      subject: topic ?? PATH,
      namespace: String(namedBy(request, query) ?? "default"),
      via: "rest",
      address: proxies.addressOf(request),
    });
  }

  #isAllowed(origin: string, request: IncomingMessage): boolean {
    const { origins } = this.#options;
    return origins.includes("*") || origins.includes(origin) || isOwnOrigin(request, origin);
  }

  async #callerOf(request: IncomingMessage): Promise<Caller | null> {
    try {
      const caller = await this.#known(this.#options.proxies.addressOf(request), request);
      checkOrigin(this.#options.access, request);
      return caller;
    } catch (error) {
      // He may say it in his first message: browsers cannot give headers.
      if (request.headers.authorization === undefined && codeOf(error) === "Unauthenticated") return null;
      throw error;
    }
  }

  /** By a header, or the cookie of a login. Rejects if it is nobody, or this address was wrong too often. */
  #known(ip: string, asked: Asked): Promise<Caller> {
    const { limits, access } = this.#options;
    const asking = { ip, credential: credentialOf(asked) };
    return limits.authenticated(asking, null, () => whoAsks(access, asked));
  }
}

/** The namespace that is asked for. */
function namedBy({ headers }: IncomingMessage, query: URLSearchParams): string | string[] | undefined {
  return query.get("namespace") ?? headers["cairn-namespace"];
}

function refuse(socket: Duplex, said: Problem): void {
  const isSecure = socket instanceof TLSSocket;
  socket.end(rawProblem(said, isSecure ? { "strict-transport-security": HSTS } : {}));
  // Who does not take it has no claim on the connection.
  socket.once("finish", () => socket.destroy());
}
