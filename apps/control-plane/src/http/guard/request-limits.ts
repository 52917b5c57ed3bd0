import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Caller, shareOf } from "../../access/caller.ts";
import type { Asking } from "../../access/failed-access.ts";
import { isKeyText } from "../../access/key-text.ts";
import { Refused } from "../../hub/refused.ts";
import { type Holder, holderOf, type ShareLimits } from "../../shares.ts";
import { networkOf } from "./addresses.ts";
import { credentialOf } from "../who-asks.ts";
import { Buckets, type Level, type Rate } from "./buckets.ts";
import { ByteBudget, SMALL_BYTES } from "./byte-budget.ts";

/** Credentials that fail, of one address: a person who mistypes is not disturbed, who guesses is. */
const FAILURES: Rate = { perSecond: 1, burst: 20 };
/** Keys that were not right before, of one address: nobody guesses one of 256 bits, but the database is asked for each. */
const LOOKUPS: Rate = { perSecond: 100, burst: 500 };
/** Whether it lives and is ready, of one address: probes of many balancers come from one, and are cheap. */
const PROBES: Rate = { perSecond: 100, burst: 1_000 };
const MB = 1024 * 1024;
/** Of bodies that have come and are not answered, and of answers that are made or on their way; and of bodies of those who are not asked who they are. */
const LARGE: ShareLimits = { all: 256 * MB, ofCaller: 64 * MB };
const LARGE_PUBLIC: ShareLimits = { all: 32 * MB, ofCaller: 16 * MB };
/** Credentials that were right lately, and that were wrong: those who have them share an address, behind a proxy or a NAT. */
const REMEMBERED_MAX = 10_000;
/** How long one that was wrong is no other guess when it is said again, as by a worker whose key is over; a key is not looked up meanwhile. */
const WRONG_MS = 60_000;

/** How a credential was refused, and when. */
interface Wrong {
  readonly at: number;
  readonly error: Refused;
}

/**
 * How much a caller may ask, and how often an address may be wrong about who it is.
 *
 * Owns what each has left. I1: a credential that fails costs its address one, once, and while it has none left, credentials that were not
 * right before are not looked at: a guess that would be right is answered like any other. I2: what has the form of a key is no guess, and is
 * looked at whatever else was wrong: it costs its address a lookup, of which it has many, and is not looked up without one, unless it was right. I3:
 * bounded, whoever comes.
 */
export class RequestLimits {
  readonly #requests: Buckets | null;
  readonly #failures: Buckets | null;
  readonly #lookups: Buckets;
  readonly #probes: Buckets | null;
  readonly #now: () => number;
  /** By hash, with when it was found so. */
  readonly #right = new Map<string, number>();
  readonly #wrong = new Map<string, Wrong>();
  readonly #bodies = new ByteBudget("large requests", LARGE);
  readonly #publicBodies = new ByteBudget("large requests", LARGE_PUBLIC);
  readonly #answers = new ByteBudget("large answers", LARGE);
  readonly #refused: (asking: Asking, error: unknown) => Promise<void>;

  /** Without a rate, neither of the two is limited; what bodies and answers take always is. `refused` is told who was not let in, and why. */
  constructor(
    rate: Rate | null,
    now: () => number,
    refused: (asking: Asking, error: unknown) => Promise<void> = () => Promise.resolve(),
  ) {
    this.#refused = refused;
    this.#requests = rate === null ? null : new Buckets(rate, now);
    this.#failures = rate === null ? null : new Buckets(FAILURES, now);
    this.#lookups = new Buckets(LOOKUPS, now);
    this.#probes = rate === null ? null : new Buckets(PROBES, now);
    this.#now = now;
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
    // Who says nothing guesses nothing.
    if (this.#failures === null || credential === null) return find();
    const network = networkOf(ip);
    const key = hash("sha256", credential);
    const isKey = isKeyText(credential);
    const wrong = this.#wasWrong(key);
    // Keys are drawn: none that was wrong becomes right.
    if (isKey && wrong !== null) throw wrong;
    if (wrong === null && !this.#right.has(key)) {
      const level = isKey ? this.#lookups.take(network) : this.#failures.look(network);
      if (!level.isTaken) throw refused(reply, level, "Too many credentials of this address were wrong");
    }
    try {
      const who = await find();
      this.#wrong.delete(key);
      remember(this.#right, key, this.#now());
      return who;
    } catch (error) {
      // Who is refused for something else, as for his certificate, has said nothing wrong.
      if (!(error instanceof Refused) || error.code !== "Unauthenticated") throw error;
      this.#right.delete(key);
      if (this.#wasWrong(key) === null) {
        if (!isKey) this.#failures.take(network);
        remember(this.#wrong, key, { at: this.#now(), error });
      }
      throw error;
    }
  }

  /** Who makes a request of REST. One of nobody's is one of its address. */
  async callerOf(request: FastifyRequest, reply: FastifyReply, find: () => Promise<Caller>): Promise<Caller> {
    try {
      return await this.authenticated({ ip: request.ip, credential: credentialOf(request.raw) }, reply, find);
    } catch (error) {
      if (error instanceof Refused) this.admit(request, reply, null);
      throw error;
    }
  }

  /** Takes one request of a caller, or of an address where nobody is asked who they are. Throws `Refused`. */
  admit({ ip }: FastifyRequest, reply: FastifyReply, caller: Caller | null): void {
    admit(this.#requests, keyOf(ip, caller), reply);
  }

  /** Takes one of those who ask whether it lives: however much else an address asks, they are answered. Throws `Refused`. */
  admitProbe({ ip }: FastifyRequest, reply: FastifyReply): void {
    admit(this.#probes, networkOf(ip), reply);
  }

  /** The same for a call of gRPC. Throws `Refused`. */
  admitCall(ip: string, caller: Caller): void {
    const level = this.take(ip, caller);
    if (level?.isTaken === false) throw refused(null, level, "Too many requests");
  }

  /** Takes one, if he has one; null: it is not limited. */
  take(ip: string, caller: Caller | null): Level | null {
    return this.#requests?.take(keyOf(ip, caller)) ?? null;
  }

  /** Its body, which takes room as it arrives; `isPublic`: nobody was asked who he is. What is read of it may fail with `Refused`. */
  counted(request: FastifyRequest, reply: FastifyReply, isPublic: boolean, body: Readable): Readable {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (encoding === undefined && Number(length ?? 0) <= SMALL_BYTES) return body;
    const budget = isPublic ? this.#publicBodies : this.#bodies;
    return budget.counted(holderOfRequest(request), reply, body, request.routeOptions.bodyLimit);
  }

  /** Makes room for a large answer, before it is made if its size is known. Throws `Refused`. */
  hold(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    this.#answers.hold(holderOfRequest(request), reply, bytes);
  }

  /** The same for the answer to what was done: it is not refused, whatever there is. Its size is a matter of the request's. */
  keep(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
    this.#answers.keep(holderOfRequest(request), reply, bytes);
  }

  /** Null: it was not, within the last minute. */
  #wasWrong(key: string): Refused | null {
    const wrong = this.#wrong.get(key);
    return wrong !== undefined && this.#now() - wrong.at < WRONG_MS ? wrong.error : null;
  }
}

/** Those that were put there first are forgotten. */
function remember<T>(all: Map<string, T>, key: string, what: T): void {
  all.delete(key);
  all.set(key, what);
  if (all.size > REMEMBERED_MAX) all.delete(all.keys().next().value!);
}

/** By what they are, never by how they say it. */
function keyOf(ip: string, caller: Caller | null): string {
  return caller === null ? `address ${networkOf(ip)}` : shareOfRequest({ ip, caller });
}

/** Whose share of what is limited a request uses. */
export function shareOfRequest({ ip, caller }: Pick<FastifyRequest, "ip" | "caller">): string {
  return caller.keyId === undefined && caller.tokenHash === undefined ? `anyone ${networkOf(ip)}` : shareOf(caller);
}

export function holderOfRequest(request: Pick<FastifyRequest, "ip" | "caller">): Holder {
  return holderOf(request.caller, shareOfRequest(request));
}

function admit(buckets: Buckets | null, key: string, reply: FastifyReply): void {
  if (buckets === null) return;
  const level = buckets.take(key);
  void reply.headers({
    "ratelimit-limit": buckets.rate.burst,
    "ratelimit-remaining": level.left,
    "ratelimit-reset": Math.ceil(level.fullInMs / 1_000),
  });
  if (!level.isTaken) throw refused(reply, level, "Too many requests");
}

function refused(reply: FastifyReply | null, { waitMs }: Level, why: string): Refused {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  void reply?.header("retry-after", seconds);
  return new Refused("RateLimited", `${why}: try again in ${seconds} s`);
}
