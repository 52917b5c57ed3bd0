import type { NewAuditEntry } from "../store/audit-log.ts";
import type { Warn } from "../warn.ts";
import { Refused } from "../hub/refused.ts";
import { type DeadKey, Unknown, UNKNOWN_REASONS } from "./unknown.ts";
import { CERTIFICATE_REASONS, WrongCertificate } from "./wrong-certificate.ts";

/** Those who guess are many; who reads warnings is told of them so often. */
const WARN_EVERY_MS = 60_000;

/** Of those with whom no TLS was agreed on. */
const HANDSHAKE_REASONS = ["certificate_missing", "certificate_untrusted", "handshake"] as const;
export type HandshakeReason = (typeof HANDSHAKE_REASONS)[number];

const REASONS = [...UNKNOWN_REASONS, "locked_out", ...CERTIFICATE_REASONS, ...HANDSHAKE_REASONS] as const;
type Reason = (typeof REASONS)[number];

/** Of whom there is nothing else to say: the others are written down, or have only to log in again. */
const WARNED = {
  wrong: "nobody has what was said",
  locked_out: "its credentials were wrong too often, it is locked out",
  certificate_missing: "it shows no certificate, and one is wanted",
  certificate_untrusted: "its certificate is not taken",
  handshake: "no TLS could be agreed on",
} satisfies Partial<Record<Reason, string>>;
type Warned = keyof typeof WARNED;

/** Who asks from where. */
export interface Asking {
  readonly ip: string;
  /** The token, key or secret itself, however it was said; null: nothing was said of who it is. */
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

  /** Whoever says nothing of who he is was not let in, and tried nothing. That `WrongCertificate` is written down is for who refuses it. */
  async note(asked: Asking, error: unknown): Promise<void> {
    const reason = reasonOf(error);
    if (reason === null || (asked.credential === null && !(error instanceof WrongCertificate))) return;
    this.#count(reason);
    if (error instanceof Unknown && error.key !== null) await this.#write(asked, error.key, reason);
    else if (reason === "wrong" || reason === "locked_out") this.#warn(reason, asked.ip);
  }

  /** The same of a connection. Its address is not known any more if it has gone; `code` is what Node.js calls it. */
  noteHandshake(reason: HandshakeReason, ip: string | null, code: string): void {
    this.#count(reason);
    this.#warn(reason, ip, reason === "certificate_missing" ? "" : ` (${code})`);
  }

  #count(reason: Reason): void {
    this.#counts.set(reason, this.#counts.get(reason)! + 1);
  }

  async #write({ ip, via = "rest" }: Asking, { id, namespace, name, prefix }: DeadKey, why: Reason): Promise<void> {
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

  #warn(reason: Warned, ip: string | null, code = ""): void {
    const now = this.#options.now();
    const count = this.#counts.get(reason)!;
    const last = this.#warned.get(reason) ?? { at: -WARN_EVERY_MS, count: 0 };
    if (now - last.at < WARN_EVERY_MS) return;
    this.#warned.set(reason, { at: now, count });
    const times = count - last.count === 1 ? "once" : `${count - last.count} times since this was last said`;
    const where = ip === null ? "" : `, at last ${ip}`;
    this.#options.warn("Someone was refused", new Error(`${WARNED[reason]}${code}: ${times}${where}`));
  }
}

function reasonOf(error: unknown): Reason | null {
  if (error instanceof Unknown || error instanceof WrongCertificate) return error.why;
  return error instanceof Refused && error.code === "RateLimited" ? "locked_out" : null;
}
