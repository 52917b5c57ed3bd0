import type { Queryable } from "../store/statement.ts";
import type { Archive } from "./archive.ts";
import type { Warn } from "../warn.ts";
import type { Keeps } from "./keeps.ts";
import type { Maintained } from "./tally.ts";

/** What the parts of one pass share. */
export interface Pass {
  readonly client: Queryable;
  /** The database's time when it began. What is over is over by this. */
  readonly now: number;
  readonly keeps: Keeps;
  /** Where runs are written before they are removed; null: nowhere. */
  readonly archive: Archive | null;
  readonly done: Maintained;
  /** Ends the pass: the process closes, or has lost its task. */
  readonly signal: AbortSignal;
  /** Rejects if another process has the task by now. Asked before each piece of work. */
  readonly keepTask: () => Promise<void>;
  /** Tries to have a table for a moment. */
  readonly lockTriesMax: number;
  readonly warn: Warn;
}

/** Of something that is kept for ever: nothing is over. */
export function overBefore(now: number, keepMs: number | null): number | null {
  return keepMs === null ? null : now - keepMs;
}
