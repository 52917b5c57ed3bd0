import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LOOK_MS, PACE, Progress } from "./pace.ts";
import { whenOver } from "./when-over.ts";

interface Body {
  readonly request: IncomingMessage;
  readonly progress: Progress;
}

/**
 * Bodies and answers that are on their way. A large one may take long over a thin line; who sends a byte now and then, or does not take what
 * he asked for, holds a connection, and memory, for nothing.
 *
 * Owns which bodies have not come whole, and which answers are not over. I1: a body that comes at the pace is not ended here. I2: an answer
 * that was given whole to the system, or to the end of its stream, is taken within the grace: what streams has a watch of its own until then.
 */
export class SlowTransfers {
  readonly #bodies = new Set<Body>();
  /** With when each was first seen to wait for nobody but the client. */
  readonly #answers = new Map<ServerResponse, number | null>();
  readonly #tooLate: (socket: Socket) => void;
  readonly #pace;
  readonly #look: NodeJS.Timeout;

  /** `tooLate` refuses a body that comes too slowly. */
  constructor(tooLate: (socket: Socket) => void, { pace = PACE, lookMs = LOOK_MS } = {}) {
    this.#tooLate = tooLate;
    this.#pace = pace;
    this.#look = setInterval(() => {
      this.#lookAtBodies();
      this.#lookAtAnswers();
    }, lookMs);
    this.#look.unref();
  }

  watch(request: IncomingMessage, response: ServerResponse): void {
    this.#answers.set(response, null);
    whenOver(response, () => void this.#answers.delete(response));
    const { headers, socket } = request;
    if (headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0) return;
    const body = { request, progress: new Progress(performance.now(), socket.bytesRead, this.#pace) };
    this.#bodies.add(body);
    const over = (): void => void this.#bodies.delete(body);
    request.once("end", over);
    request.once("close", over);
  }

  close(): void {
    clearInterval(this.#look);
  }

  #lookAtBodies(): void {
    for (const body of this.#bodies) {
      const { request, progress } = body;
      const { socket } = request;
      if (!progress.isTooSlow(performance.now(), socket.bytesRead)) continue;
      this.#bodies.delete(body);
      if (!request.complete) this.#tooLate(socket);
    }
  }

  #lookAtAnswers(): void {
    const at = performance.now();
    for (const [response, since] of this.#answers) {
      if (!response.writableEnded) continue;
      if (since === null) this.#answers.set(response, at);
      else if (at - since > this.#pace.graceMs) response.socket?.destroy();
    }
  }
}
