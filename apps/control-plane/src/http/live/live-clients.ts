import { DROPPED_REASONS, type DroppedReason } from "@cairnjs/schemas/rest";
import type { Caller } from "../../access/caller.ts";
import { Refused } from "../../hub/refused.ts";
import { closedError } from "../../library/engine-error.ts";
import { holderOf, Shares } from "../../shares.ts";

export interface LiveLimits {
  /** Who watch this control plane at one time: streams and sockets. Of one namespace half of them. */
  readonly clientsMax: number;
  /** Of these, of one caller. */
  readonly clientsPerCallerMax: number;
  /** Who takes nothing for so long, while there is something for him, is dropped. */
  readonly slowMs: number;
  /** How often streams say that they live, if nothing happens. */
  readonly heartbeatMs: number;
}

const KINDS = ["run", "events", "chunks", "socket"] as const;
export type LiveKind = (typeof KINDS)[number];

interface LiveClient {
  readonly kind: LiveKind;
}

/** Owns: who watches this control plane, and how many of what they were told. */
export class LiveClients {
  readonly limits: LiveLimits;
  readonly #watch: (caller: Caller, end: () => void) => () => void;
  readonly #clients = new Set<LiveClient>();
  readonly #shares: Shares;
  readonly #dropped = new Map<DroppedReason, number>(DROPPED_REASONS.map((reason) => [reason, 0]));
  #sent = 0;
  #closed = false;

  /** `watch` says when the right of a caller to watch is over, until what it returns is called. */
  constructor(limits: LiveLimits, watch: (caller: Caller, end: () => void) => () => void) {
    this.limits = limits;
    this.#shares = new Shares({ all: limits.clientsMax, ofCaller: limits.clientsPerCallerMax });
    this.#watch = watch;
  }

  /** Throws `Refused` if there are too many. Returns what is to be called once he has left. */
  enter(caller: Caller, kind: LiveKind, drop: (reason: DroppedReason) => void): () => void {
    this.check(caller);
    const client = { kind };
    const holder = holderOf(caller);
    this.#clients.add(client);
    this.#shares.add(holder, 1);
    const unwatch = this.#watch(caller, () => drop("access"));
    return () => {
      unwatch();
      if (this.#clients.delete(client)) this.#shares.add(holder, -1);
    };
  }

  /** Throws `Refused` if there is no room for another one, and whoever was told that this control plane ends is not let in again. */
  check(caller: Caller): void {
    if (this.#closed) throw closedError();
    const { clientsMax, clientsPerCallerMax } = this.limits;
    const usedUp = this.#shares.usedUp(holderOf(caller), 1);
    if (usedUp === "caller")
      throw new Refused("RateLimited", `${caller.name} watches ${clientsPerCallerMax} times already`);
    if (usedUp === "tenant")
      throw new Refused("RateLimited", `${whoOf(caller)} watches ${this.#shares.ofTenant} times already`);
    if (usedUp === "all")
      throw new Refused("Unavailable", `${clientsMax} watch this control plane already: ask another one, or later`);
  }

  close(): void {
    this.#closed = true;
  }

  sent(count: number): void {
    this.#sent += count;
  }

  wasDropped(reason: DroppedReason): void {
    this.#dropped.set(reason, this.#dropped.get(reason)! + 1);
  }

  get sentCount(): number {
    return this.#sent;
  }

  get droppedCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#dropped);
  }

  /** By kind. */
  get counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
    for (const { kind } of this.#clients) counts[kind]! += 1;
    return counts;
  }
}

function whoOf({ name, namespace }: Caller): string {
  return namespace === null ? name : `The namespace ${namespace}`;
}
