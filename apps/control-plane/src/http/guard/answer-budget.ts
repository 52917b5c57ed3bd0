import type { FastifyReply } from "fastify";
import { Counts } from "../../counts.ts";
import { Refused } from "../../hub/refused.ts";

/** Of answers that are made or on their way: of all, and of one who asks. One alone may always have one. */
const ANSWER_BYTES_OF_ALL = 256 * 1024 * 1024;
const ANSWER_BYTES_OF_ONE = 64 * 1024 * 1024;
/** So small ones are not counted: connections have a limit of their own. */
export const SMALL_ANSWER_BYTES = 256 * 1024;

/**
 * What answers may take of the memory together: whoever asks for large ones and does not read them would have all of it.
 *
 * Owns how much is held for whom. I1: what is held is given back when the answer is over, in whatever way.
 */
export class AnswerBudget {
  readonly #counts = new Counts();
  readonly #held = new WeakMap<FastifyReply, number>();

  /** So much, as it seems, of one answer; what is held for it already counts. Throws `Refused`. */
  hold(caller: string, reply: FastifyReply, bytes: number): void {
    const held = this.#held.get(reply) ?? 0;
    const more = bytes - held;
    if (bytes <= SMALL_ANSWER_BYTES || more <= 0) return;
    const own = this.#counts.of(caller);
    if (own > held && own + more > ANSWER_BYTES_OF_ONE) {
      void reply.header("retry-after", 1);
      throw new Refused("RateLimited", "Too many large answers to the same caller are on their way");
    }
    const { all } = this.#counts;
    if (all > held && all + more > ANSWER_BYTES_OF_ALL) {
      void reply.header("retry-after", 1);
      throw new Refused("Unavailable", "Too many large answers are on their way from this control plane");
    }
    this.#held.set(reply, bytes);
    this.#counts.add(caller, more);
    reply.raw.once("close", () => this.#counts.add(caller, -more));
  }
}
