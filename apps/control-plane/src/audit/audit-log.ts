import { type NewAuditEntry, writeAudit } from "../store/audit-log.ts";
import type { Queryable } from "../store/statement.ts";
import type { Warn } from "../warn.ts";
import { Refusals } from "./refusals.ts";

/** In one statement. */
const BATCH_MAX = 1_000;
/** Beyond this, whoever asks waits for nothing: the database has been away for long, and what they did failed too. */
const WAITING_MAX = 20_000;

/** Workers that come and go change nothing by it. */
export const CONNECTED = "worker.connect";

/** Of Postgres: what is wrong with values, or breaks a rule. */
const OF_THE_DATA = /^2[23]/;

/** Owns: what was done and is not written down yet. All that comes while a statement is under way goes with the next one. */
export class AuditLog {
  readonly #client: Queryable;
  readonly #warn: Warn;
  readonly #refusals = new Refusals(() => performance.now());
  /** Apart: those who may say again what was done are not known, and keep no refusal out. */
  readonly #idle = new Refusals(() => performance.now());
  #waiting: NewAuditEntry[] = [];
  #writing: Promise<void> | null = null;

  constructor(client: Queryable, warn: Warn) {
    this.#client = client;
    this.#warn = warn;
  }

  /**
   * Resolves when it is durable, or cannot be: what was done stays done, and a warning says what is not written down. `isIdle`: nothing was changed,
   * though it was neither refused nor a worker's coming.
   */
  async write(given: NewAuditEntry, isIdle = false): Promise<void> {
    const entry = this.#bounded(given, isIdle);
    if (entry === null) return;
    if (this.#waiting.length >= WAITING_MAX) return this.#lose([entry], new Error("too much waits to be written"));
    this.#waiting.push(entry);
    // What is under way may have begun before this was there.
    await this.#writing;
    this.#writing ??= this.#write().finally(() => (this.#writing = null));
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX);
      await this.#writeAll(batch);
    }
  }

  /** One that Postgres does not take is lost alone. */
  async #writeAll(batch: readonly NewAuditEntry[]): Promise<void> {
    try {
      await writeAudit(this.#client, batch);
    } catch (error) {
      const { code = "" } = error as { readonly code?: string };
      if (batch.length === 1 || !OF_THE_DATA.test(code)) return this.#lose(batch, error);
      const half = Math.ceil(batch.length / 2);
      await this.#writeAll(batch.slice(0, half));
      await this.#writeAll(batch.slice(half));
    }
  }

  /** Of what changes nothing, so much a minute of each caller; null: it is more. */
  #bounded(entry: NewAuditEntry, isIdle: boolean): NewAuditEntry | null {
    const { status, action, keyId, who, runId } = entry;
    // What broke off may have happened in part, as what was done has: none of it is left out.
    const isBounded = status === 401 || status === 403 || action === CONNECTED || isIdle;
    if (!isBounded) return entry;
    // All wait tokens have one name: those of a run have a count of their own.
    const caller = keyId ?? (isIdle ? `${who} of ${runId}` : who);
    const count = (isIdle ? this.#idle : this.#refusals).count(entry.namespace, `${caller} ${status}`);
    if (count === "left out") return null;
    if (count === "written") return entry;
    const detail = JSON.stringify({
      ...(JSON.parse(entry.detail) as object),
      others: "not written down in this minute",
    });
    return { ...entry, detail };
  }

  #lose(entries: readonly NewAuditEntry[], error: unknown): void {
    const said = entries.slice(0, 5).map(({ who, action, subject }) => `${who}: ${action} ${subject ?? ""}`.trim());
    this.#warn(`What was done could not be written down (${entries.length}): ${said.join(", ")}`, error);
  }
}
