import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Caller, shareOf } from "../../access/caller.ts";
import { Refused } from "../../hub/refused.ts";
import { networkOf } from "./addresses.ts";
import { BodyBudget } from "./body-budget.ts";
import { Buckets, type Level, type Rate } from "./buckets.ts";

/** Credentials that fail, of one address: a person who mistypes is not disturbed, who guesses is. */
const FAILURES: Rate = { perSecond: 1, burst: 20 };
/** Credentials that were right lately: those who have them share an address with one who guesses, behind a proxy or a NAT. */
const RIGHT_MAX = 10_000;

/** Who asks from where. */
export interface Asking {
  readonly ip: string;
  /** The token, key or secret itself, however it was said; null: none. */
  readonly credential: string | null;
  /** How, if not over HTTP. */
  readonly via?: "grpc";
}

/**
 * How much a caller may ask, and how often an address may be wrong about who it is.
 *
 * Owns what each has left. I1: a credential that fails costs its address one, and while it has none left, credentials that were not
 * right before are not looked at: a guess that would be right is answered like any other. I2: bounded, whoever comes.
 */
export class RequestLimits {
  readonly #requests: Buckets | null;
  readonly #failures: Buckets | null;
  readonly #right = new Set<string>();
  readonly #bodies = new BodyBudget();
  readonly #refused: (asking: Asking, error: unknown) => Promise<void>;

  /** Without a rate, neither of the two is limited; what bodies take always is. `refused` is told who was not let in, and why. */
  constructor(
    rate: Rate | null,
    now: () => number,
    refused: (asking: Asking, error: unknown) => Promise<void> = () => Promise.resolve(),
  ) {
    this.#refused = refused;
    this.#requests = rate === null ? null : new Buckets(rate, now);
    this.#failures = rate === null ? null : new Buckets(FAILURES, now);
  }

  /** Who asks, unless this address is wrong too often. Over HTTP, REST and WebSockets and logins, and over gRPC alike. */
  async authenticated<T>(asking: Asking, reply: FastifyReply | null, find: () => Promise<T>): Promise<T> {
    try {
      return await this.#found(asking, reply, find);
    } catch (error) {
      await this.#refused(asking, error);
      throw error;
    }
  }

  async #found<T>({ ip, credential }: Asking, reply: FastifyReply | null, find: () => Promise<T>): Promise<T> {
    if (this.#failures === null) return find();
    const network = networkOf(ip);
    const key = credential === null ? null : hash("sha256", credential);
    const isKnown = key !== null && this.#right.has(key);
    if (!isKnown) {
      const level = this.#failures.look(network);
      if (!level.isTaken) throw refused(reply, level, "Too many credentials of this address were wrong");
    }
    try {
      const who = await find();
      if (key !== null) this.#remember(key);
      return who;
    } catch (error) {
      if (key !== null) this.#right.delete(key);
      // Who says nothing guesses nothing.
      if (key !== null && error instanceof Refused && error.code === "Unauthenticated") this.#failures.take(network);
      throw error;
    }
  }

  /** Takes one request of a caller, or of an address where nobody is asked who they are. Throws `Refused`. */
  admit(request: FastifyRequest, reply: FastifyReply, caller: Caller | null): void {
    if (this.#requests !== null) this.#take(this.#requests, keyOf(request, caller), reply);
  }

  /** Makes room for its body, before anything of it is read. Throws `Refused`. */
  reserve(request: FastifyRequest, reply: FastifyReply, caller: Caller | null): void {
    this.#bodies.reserve(caller === null ? null : keyOf(request, caller), request, reply);
  }

  #take(requests: Buckets, key: string, reply: FastifyReply): void {
    const level = requests.take(key);
    const { burst } = requests.rate;
    void reply.headers({
      "ratelimit-limit": burst,
      "ratelimit-remaining": level.left,
      "ratelimit-reset": Math.ceil(level.fullInMs / 1_000),
    });
    if (!level.isTaken) throw refused(reply, level, "Too many requests");
  }

  #remember(key: string): void {
    this.#right.delete(key);
    this.#right.add(key);
    if (this.#right.size > RIGHT_MAX) this.#right.delete(this.#right.keys().next().value!);
  }
}

/** By what they are, never by how they say it. */
function keyOf(request: FastifyRequest, caller: Caller | null): string {
  return caller === null ? `address ${networkOf(request.ip)}` : shareOfRequest({ ip: request.ip, caller });
}

/** Whose share of what is limited a request uses. */
export function shareOfRequest({ ip, caller }: Pick<FastifyRequest, "ip" | "caller">): string {
  return caller.keyId === undefined && caller.tokenHash === undefined ? `anyone ${ip}` : shareOf(caller);
}

function refused(reply: FastifyReply | null, { waitMs }: Level, why: string): Refused {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  void reply?.header("retry-after", seconds);
  return new Refused("RateLimited", `${why}: try again in ${seconds} s`);
}
