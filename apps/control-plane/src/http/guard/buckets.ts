/** How often something may happen. */
export interface Rate {
  readonly perSecond: number;
  /** So many at once, after a while without any. */
  readonly burst: number;
}

/** Of one bucket, after something was taken from it or refused. */
export interface Level {
  readonly isTaken: boolean;
  /** How many more may be taken at once. */
  readonly left: number;
  /** Until the next may be taken; 0: at once. */
  readonly waitMs: number;
  /** Until it is full again. */
  readonly fullInMs: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Those that were looked at least recently are forgotten; who floods with keys of their own gains a burst for each, and no memory. */
const BUCKETS_MAX = 10_000;

/**
 * Token buckets by key. Not windows of time, as most libraries have them: at the border of two windows twice as much is let through,
 * and then nothing until the next.
 *
 * Owns how much each key has left. I1: never more than `BUCKETS_MAX` keys. I2: time that goes back gives nothing.
 */
export class Buckets {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  get rate(): Rate {
    return this.#rate;
  }

  /** Takes one, if there is one. */
  take(key: string): Level {
    const bucket = this.#bucketOf(key);
    const isTaken = bucket.tokens >= 1;
    if (isTaken) bucket.tokens -= 1;
    return this.#level(bucket, isTaken);
  }

  /** Looks without taking. */
  look(key: string): Level {
    const bucket = this.#bucketOf(key);
    return this.#level(bucket, bucket.tokens >= 1);
  }

  #bucketOf(key: string): Bucket {
    const { perSecond, burst } = this.#rate;
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const passedMs = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(burst, bucket.tokens + (passedMs / 1_000) * perSecond);
    bucket.at = now;
    // To the end of the order of forgetting.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > BUCKETS_MAX) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }

  #level({ tokens }: Bucket, isTaken: boolean): Level {
    const { perSecond, burst } = this.#rate;
    return {
      isTaken,
      left: Math.floor(tokens),
      waitMs: tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1_000),
      fullInMs: Math.ceil(((burst - tokens) / perSecond) * 1_000),
    };
  }
}
