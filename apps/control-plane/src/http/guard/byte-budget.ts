import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { Refused } from "../../hub/refused.ts";
import { type Holder, type ShareLimits, Shares } from "../../shares.ts";
import { admittedBody } from "./admitted-body.ts";
import { whenOver } from "./when-over.ts";

/** So small ones are not counted: connections have a limit of their own. */
export const SMALL_BYTES = 64 * 1024;

/**
 * What bodies, or answers, may take of the memory together: each is bounded, but nothing else says how many there are, nor whether whoever
 * asks for large ones reads them.
 *
 * Owns how much is held for whom. I1: what is held is given back when the answer is over, in whatever way.
 */
export class ByteBudget {
  readonly #what: string;
  readonly #shares: Shares;
  readonly #held = new WeakMap<FastifyReply, number>();

  /** `what` they are called, such as `large answers`. */
  constructor(what: string, limits: ShareLimits) {
    this.#what = what;
    this.#shares = new Shares(limits);
  }

  /** So much of one, as it seems; what is held for it already counts. Throws `Refused`. */
  hold(holder: Holder, reply: FastifyReply, bytes: number): void {
    const held = this.#held.get(reply) ?? 0;
    if (bytes <= SMALL_BYTES || bytes <= held) return;
    const usedUp = this.#shares.usedUp(holder, bytes - held, held);
    if (usedUp === null) return this.keep(holder, reply, bytes);
    void reply.header("retry-after", 1);
    const whose = usedUp === "caller" ? "the same caller" : "the same namespace";
    throw usedUp === "all"
      ? new Refused("Unavailable", `Too many ${this.#what} of this control plane are on their way`)
      : new Refused("RateLimited", `Too many ${this.#what} of ${whose} are on their way`);
  }

  /** The same for what cannot be refused any more. */
  keep(holder: Holder, reply: FastifyReply, bytes: number): void {
    const held = this.#held.get(reply);
    if (bytes <= Math.max(held ?? 0, SMALL_BYTES)) return;
    this.#held.set(reply, bytes);
    this.#shares.add(holder, bytes - (held ?? 0));
    if (held === undefined) whenOver(reply.raw, () => this.#giveBack(holder, reply));
  }

  /** Counts a body as it arrives, up to so much: what one says of its size holds nothing. */
  counted(holder: Holder, reply: FastifyReply, body: Readable, bytesMax: number): Readable {
    let bytes = 0;
    return admittedBody(body, (part) => {
      bytes = Math.min(bytesMax, bytes + part.length);
      this.hold(holder, reply, bytes);
    });
  }

  #giveBack(holder: Holder, reply: FastifyReply): void {
    this.#shares.add(holder, -this.#held.get(reply)!);
    this.#held.delete(reply);
  }
}
