import { Counts } from "../counts.ts";
import { Refused } from "../hub/refused.ts";
import { networkOf } from "../http/guard/addresses.ts";

/** Requests of 4 MB at most that have not arrived, of all together who are not asked who they are. */
const ARRIVING_MAX = 32;
/** From then on one is no probe that was on its way when others came. */
const SLOW_MS = 1_000;
/** Who watches the health of services: of all, and of one address. */
const WATCHING_MAX = 1_000;
const WATCHING_OF_ADDRESS = 100;

interface Arriving {
  readonly cut: () => void;
  readonly since: number;
}

/**
 * What anybody may ask: whether services are well, and what they are.
 *
 * Owns how many do so at one time. I1: if there are too many that do not end their request, the oldest goes, not the one that comes: who sends
 * a few bytes, as probes do, is not on its way for long.
 */
export class PublicCalls {
  readonly #arriving = new Set<Arriving>();
  readonly #watching = new Counts();

  /** `cut` ends its connection. Returns what is to be called once the request has arrived, or is over. Throws `Refused`. */
  arrive(cut: () => void): () => void {
    const since = performance.now();
    const [oldest] = this.#arriving;
    if (this.#arriving.size >= ARRIVING_MAX) {
      if (since - oldest!.since < SLOW_MS) throw new Refused("RateLimited", "Too many ask at the same time");
      this.#arriving.delete(oldest!);
      // What has come of it stays in memory for as long as its stream, and the other side ends that.
      oldest!.cut();
    }
    const call = { cut, since };
    this.#arriving.add(call);
    return () => void this.#arriving.delete(call);
  }

  /** Returns what is to be called once it is over. Throws `Refused`. */
  watch(ip: string): () => void {
    const network = networkOf(ip);
    if (this.#watching.of(network) >= WATCHING_OF_ADDRESS || this.#watching.all >= WATCHING_MAX) {
      throw new Refused("RateLimited", "Too many watch the health of this control plane");
    }
    this.#watching.add(network, 1);
    let isOver = false;
    return () => {
      if (!isOver) this.#watching.add(network, -1);
      isOver = true;
    };
  }
}
