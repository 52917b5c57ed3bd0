import { keepText, NewRetentionRule, parseKeep, RETAINED, type Retained, RetentionKey } from "@cairnjs/schemas";
import { Keeps } from "../maintenance/keeps.ts";
import type { RetentionSettings } from "../maintenance/maintenance.ts";
import { previewRetention, type RetentionPreview } from "../maintenance/preview.ts";
import type { Maintained } from "../maintenance/tally.ts";
import { listRetention, removeRetention, setRetention } from "../store/retention-rules.ts";
import type { Queryable } from "../store/statement.ts";
import { databaseTime } from "../store/time.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { parseNoun } from "./parse-noun.ts";

/** How long something is kept. */
export interface RetentionRule {
  readonly what: Retained;
  /** A type, the beginning of types before a star, or `*`. */
  readonly type: string;
  /** Such as `30d`, or `forever`. */
  readonly keep: string;
  /** When it was set; null: it is what the process says, where no rule of the namespace is. */
  readonly changedAt: number | null;
}

/** What one pass has removed. */
export type RemovedByRetention = Readonly<Maintained>;

interface RetentionContext {
  readonly client: Queryable;
  readonly namespace: string;
  readonly settings: RetentionSettings;
  readonly pass: () => Promise<Maintained | null>;
}

export function retentionOf(engine: Engine, namespace: string): Retention {
  const { client, retention: settings } = engine;
  return new Retention({ client, namespace, settings, pass: async () => (await engine.maintenance?.pass()) ?? null });
}

/** How long things of a namespace are kept, and what is over. */
export class Retention {
  readonly #context: RetentionContext;

  constructor(context: RetentionContext) {
    this.#context = context;
  }

  /** From the next pass on. One that is there for the same type is changed. */
  async set(rule: NewRetentionRule): Promise<RetentionRule> {
    const { client, namespace, settings } = this.#context;
    const { what, type, keep } = parseNoun(NewRetentionRule, "The rule", rule);
    const keepMs = parseKeep(keep)!;
    const least = settings.keeps.audit;
    if (what === "audit" && keepMs !== null && (least === null || keepMs < least)) {
      throw new EngineError(
        "InvalidOption",
        `What was done is kept for ${keepText(least)} at least: CAIRN_RETENTION_AUDIT`,
      );
    }
    const changedAt = await setRetention(client, { namespace, what, pattern: type, keepMs });
    return { what, type, keep: keepText(keepMs), changedAt };
  }

  /** Rules of the namespace, and what holds where there are none. */
  async list(): Promise<RetentionRule[]> {
    const { client, namespace, settings } = this.#context;
    const rules = (await listRetention(client, namespace)).map(({ what, pattern, keepMs, changedAt }) => {
      return { what, type: pattern, keep: keepText(keepMs), changedAt };
    });
    const usual = RETAINED.map((what) => ({ what, type: "*", keep: keepText(settings.keeps[what]), changedAt: null }));
    return [...usual.filter(({ what }) => !rules.some((rule) => rule.what === what && rule.type === "*")), ...rules];
  }

  /** What the process says holds again. */
  async remove(rule: RetentionKey): Promise<void> {
    const { client, namespace } = this.#context;
    const { what, type } = parseNoun(RetentionKey, "The rule", rule);
    if (await removeRetention(client, namespace, what, type)) return;
    throw new EngineError("NotFound", `There is no rule for ${what} of ${type} in ${namespace}`);
  }

  /** What would be removed now. */
  async preview(): Promise<RetentionPreview> {
    const { client, namespace, settings } = this.#context;
    const keeps = new Keeps(await listRetention(client, namespace), settings.keeps);
    return previewRetention(client, namespace, keeps, await databaseTime(client));
  }

  /** Removes what is over now, in all namespaces, without waiting for the next time that it is done anyway. */
  async run(): Promise<RemovedByRetention> {
    const done = await this.#context.pass();
    if (done === null) throw new EngineError("HeldUp", "Another process is removing what is over at this moment");
    return done;
  }
}
