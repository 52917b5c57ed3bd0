import type { FastifyReply, FastifyRequest } from "fastify";
import { Counts } from "../../counts.ts";
import { Refused } from "../../hub/refused.ts";

/** Of bodies that are on their way or being answered: of all, and of one who asks. One alone may always have one. */
const BODY_BYTES_OF_ALL = 256 * 1024 * 1024;
const BODY_BYTES_OF_ONE = 64 * 1024 * 1024;
/** Of all together who are not asked who they are. */
const BODY_BYTES_OF_PUBLIC = 32 * 1024 * 1024;
/** So small ones are not counted: connections have a limit of their own. */
const SMALL_BYTES = 64 * 1024;

/**
 * What bodies may take of the memory together: one has 16 MB at most, but nothing else says how many there are.
 *
 * Owns how much is promised to whom. I1: what was promised is given back when the answer is over, in whatever way.
 */
export class BodyBudget {
  readonly #promised = new Counts();

  /** Before anything of it is read; without a key: whoever it is. Throws `Refused`. */
  reserve(caller: string | null, request: FastifyRequest, reply: FastifyReply): void {
    const bytes = bytesOf(request);
    if (bytes <= SMALL_BYTES) return;
    const key = caller ?? "public";
    const most = caller === null ? BODY_BYTES_OF_PUBLIC : BODY_BYTES_OF_ONE;
    const own = this.#promised.of(key);
    if (own > 0 && own + bytes > most) {
      void reply.header("retry-after", 1);
      throw new Refused("RateLimited", "Too many large requests of the same caller are on their way");
    }
    const all = this.#promised.all;
    if (all > 0 && all + bytes > BODY_BYTES_OF_ALL) {
      void reply.header("retry-after", 1);
      throw new Refused("Unavailable", "Too many large requests are on their way to this control plane");
    }
    this.#promised.add(key, bytes);
    reply.raw.once("close", () => this.#promised.add(key, -bytes));
  }
}

/** As much as it says, or may have. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  const most = routeOptions.bodyLimit;
  if (encoding !== undefined) return most;
  return length === undefined ? 0 : Math.min(most, Number(length));
}
