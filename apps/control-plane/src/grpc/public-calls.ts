import { Counts } from "../counts.ts";
import { Refused } from "../hub/refused.ts";
import { networkOf } from "../http/guard/addresses.ts";

/** Requests of 4 MB at most that have not arrived, of those who are not asked who they are: of all, and of one address. */
const ARRIVING_OF_ALL = 32;
const ARRIVING_OF_ADDRESS = 16;
/** Before that, one is not counted: what is whole, as probes are, is there by then. */
const ARRIVING_MS = 100;
/** Who watches the health of services: of all, and of one address. */
const WATCHING_MAX = 1_000;
const WATCHING_OF_ADDRESS = 100;

type Cut = () => void;

/**
 * What anybody may ask: whether services are well, and what they are.
 *
 * Owns how many do so at one time. I1: a request that is whole is never in the way of another, and nothing keeps it from being answered. I2: if
 * there are too many that do not end, of an address or of all, the oldest goes, of that address which has the most: never the one that comes,
 * nor one of somebody else.
 */
export class PublicCalls {
  /** By network; of each, the oldest first. */
  readonly #arriving = new Map<string, Set<Cut>>();
  readonly #watching = new Counts();
  readonly #arrivingMs: number;

  constructor(arrivingMs = ARRIVING_MS) {
    this.#arrivingMs = arrivingMs;
  }

  /** `cut` ends its connection. Returns what is to be called once the request has arrived, or is over. */
  arrive(ip: string, cut: () => void): () => void {
    const network = networkOf(ip);
    // One of its own: a connection has several calls.
    const call: Cut = () => cut();
    const counting = setTimeout(() => this.#count(network, call), this.#arrivingMs);
    return () => {
      clearTimeout(counting);
      this.#forget(network, call);
    };
  }

  #count(network: string, call: Cut): void {
    const own = this.#arriving.get(network) ?? new Set();
    this.#arriving.set(network, own.add(call));
    if (own.size > ARRIVING_OF_ADDRESS) return this.#cutOldest(network);
    const counts = [...this.#arriving].map(([each, { size }]) => ({ each, size }));
    if (counts.reduce((sum, { size }) => sum + size, 0) <= ARRIVING_OF_ALL) return;
    this.#cutOldest(counts.reduce((most, other) => (other.size > most.size ? other : most)).each);
  }

  /** What has come of it stays in memory for as long as its stream, and the other side ends that. */
  #cutOldest(network: string): void {
    const [oldest] = this.#arriving.get(network)!;
    this.#forget(network, oldest!);
    oldest!();
  }

  #forget(network: string, call: Cut): void {
    const own = this.#arriving.get(network);
    if (own?.delete(call) && own.size === 0) this.#arriving.delete(network);
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
