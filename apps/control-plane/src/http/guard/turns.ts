import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { whenOver } from "./when-over.ts";

/** Of one connection, behind the one that is being answered. */
const WAITING_MAX = 64;

/**
 * Requests that are sent behind each other on one connection, without waiting for answers. Node.js hands on all of them at once, and keeps
 * the answers until those before them are taken: one connection would do the work of thousands, and hold what comes of it.
 *
 * Owns who is answered on each connection. I1: one at a time, the next when that is taken. I2: `WAITING_MAX` wait, and have cost nothing yet;
 * a connection on which more are sent ends, since what was read of it cannot be given back.
 */
export class Turns {
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  /** Calls `next` when it is its turn: at once, if nothing is before it; never, if the connection ends first. */
  take({ socket }: IncomingMessage, response: ServerResponse, next: () => void): void {
    if (!socket.writable) return;
    const enter = (): void => {
      whenOver(response, () => this.#over(socket));
      next();
    };
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      enter();
    } else if (waiting.length < WAITING_MAX) {
      waiting.push(enter);
    } else {
      socket.destroy();
    }
  }

  #over(socket: Socket): void {
    // What ends the connection is its last answer, whatever was sent behind it.
    const next = socket.writable ? this.#waiting.get(socket)?.shift() : undefined;
    if (next === undefined) this.#waiting.delete(socket);
    else next();
  }
}
