import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** So long a body may take whatever comes of it; beyond that, it must have come at this rate since it began. */
const FREE_MS = 10_000;
const BYTES_PER_SECOND_MIN = 64 * 1024;
const LOOK_MS = 1_000;

interface Body {
  readonly request: IncomingMessage;
  readonly begunAt: number;
  /** Of its connection, when it began. */
  readonly bytesBefore: number;
}

/**
 * Bodies that are on their way. A large one may take long over a thin line; who sends a byte now and then holds a connection, and memory, for
 * nothing.
 *
 * Owns which bodies have not come whole. I1: one that comes at 64 KB/s is not ended here.
 */
export class SlowBodies {
  readonly #bodies = new Set<Body>();
  readonly #end: (socket: Socket) => void;

  /** `end` refuses what comes too slowly. */
  constructor(end: (socket: Socket) => void) {
    this.#end = end;
  }

  watch(server: Server): void {
    server.on("request", (request: IncomingMessage) => this.#begun(request));
    const look = setInterval(() => this.#look(), LOOK_MS);
    look.unref();
    server.once("close", () => clearInterval(look));
  }

  #begun(request: IncomingMessage): void {
    const { headers, socket } = request;
    if (headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0) return;
    const body = { request, begunAt: performance.now(), bytesBefore: socket.bytesRead };
    this.#bodies.add(body);
    const over = (): void => void this.#bodies.delete(body);
    request.once("end", over);
    request.once("close", over);
  }

  #look(): void {
    const at = performance.now();
    for (const body of this.#bodies) {
      const { request, begunAt, bytesBefore } = body;
      const lateMs = at - begunAt - FREE_MS;
      const { socket } = request;
      if (lateMs <= 0 || socket.bytesRead - bytesBefore >= (lateMs / 1_000) * BYTES_PER_SECOND_MIN) continue;
      this.#bodies.delete(body);
      if (!request.complete) this.#end(socket);
    }
  }
}
