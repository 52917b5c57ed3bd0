import type { NewAuditEntry } from "../store/audit-log.ts";
import type { Warn } from "../warn.ts";
import { Refused } from "../hub/refused.ts";
import { type DeadKey, Unknown, UNKNOWN_REASONS } from "./unknown.ts";

/** Those who guess are many; who reads warnings is told of them so often. */
const WARN_EVERY_MS = 60_000;

const REASONS = [...UNKNOWN_REASONS, "locked_out"] as const;
type Reason = (typeof REASONS)[number];

/** Who asked from where. */
interface Asked {
  readonly ip: string;
  /** Null: nothing was said of who it is. */
  readonly credential: string | null;
  /** `rest` if nothing is said. */
  readonly via?: NewAuditEntry["via"];
}

export interface FailedAccessOptions {
  /** `AuditLog.write`. */
  readonly write: (entry: NewAuditEntry) => Promise<void>;
  readonly warn: Warn;
  readonly now: () => number;
}

/**
 * That someone was not let in leaves a trace.
 *
 * Owns: how often, by reason, and when it was last warned of. A key that is over is written down, where its namespace is: its holder is known.
 * Of what nobody has there is nothing to say but the address, in a warning: the log of what was done is not for whoever guesses.
 */
export class FailedAccess {
  readonly #options: FailedAccessOptions;
  readonly #counts = new Map<Reason, number>(REASONS.map((reason) => [reason, 0]));
  readonly #warned = new Map<Reason, { readonly at: number; readonly count: number }>();

  constructor(options: FailedAccessOptions) {
    this.#options = options;
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Whoever says nothing of who he is was not let in, and tried nothing. */
  async note(asked: Asked, error: unknown): Promise<void> {
    const reason = asked.credential === null ? null : reasonOf(error);
    if (reason === null) return;
    this.#counts.set(reason, this.#counts.get(reason)! + 1);
    if (error instanceof Unknown && error.key !== null) await this.#write(asked, error.key, reason);
    else if (reason === "wrong" || reason === "locked_out") this.#warn(asked, reason);
  }

  async #write({ ip, via = "rest" }: Asked, { id, namespace, name, prefix }: DeadKey, why: Reason): Promise<void> {
    await this.#options.write({
      namespace: namespace ?? "default",
      who: `the key ${name} (${prefix})`,
      keyId: id,
      action: "access.refused",
      subject: id,
      runId: null,
      detail: JSON.stringify({ prefix, why }),
      status: 401,
      via,
      address: ip,
    });
  }

  #warn({ ip }: Asked, reason: "wrong" | "locked_out"): void {
    const now = this.#options.now();
    const count = this.#counts.get(reason)!;
    const last = this.#warned.get(reason) ?? { at: -WARN_EVERY_MS, count: 0 };
    if (now - last.at < WARN_EVERY_MS) return;
    this.#warned.set(reason, { at: now, count });
    const times = count - last.count === 1 ? "once" : `${count - last.count} times since this was last said`;
    const what =
      reason === "wrong" ? "nobody has what was said" : "its credentials were wrong too often, it is locked out";
    this.#options.warn("Someone was refused", new Error(`${what}: ${times}, at last ${ip}`));
  }
}

function reasonOf(error: unknown): Reason | null {
  if (error instanceof Unknown) return error.why;
  return error instanceof Refused && error.code === "RateLimited" ? "locked_out" : null;
}
