import { parseKeep, RETAINED } from "@cairnjs/schemas";
import { resolve } from "node:path";
import { EngineError } from "../library/engine-error.ts";
import { USUAL_KEEPS, type UsualKeeps } from "./keeps.ts";
import type { RetentionSettings } from "./maintenance.ts";

/** How long things are kept, where no rule says otherwise: texts such as `"30d"`, or `"forever"`. */
export interface RetentionOptions {
  /** Events of runs, after they happened: 30d. Without it, `CAIRN_RETENTION_EVENTS`. */
  readonly events?: string;
  /** Events for others, after they were published: 7d. Without it, `CAIRN_RETENTION_OUTBOX`. */
  readonly outbox?: string;
  /** Runs with all that belongs to them, after they ended: forever. Without it, `CAIRN_RETENTION_RUNS`. */
  readonly runs?: string;
  /** Runs that were deleted, after that: 30d. Without it, `CAIRN_RETENTION_DELETED`. */
  readonly deleted?: string;
  /** Who did what, after that: 365d. Without it, `CAIRN_RETENTION_AUDIT`. */
  readonly audit?: string;
  /** Large values that nothing names any more: 7d, and no less than a backup that may be restored is old. Without it, `CAIRN_RETENTION_BLOBS`. */
  readonly blobs?: string;
  /** A folder to which runs are written before they are removed. Without it, `CAIRN_ARCHIVE`; without that, they are not. */
  readonly archive?: string;
  /** How often it is looked for what is over: 1h. Without it, `CAIRN_RETENTION_EVERY`. */
  readonly every?: string;
  /** Whether this process removes what is over: true. Without it, `CAIRN_RETENTION` is `on` or `off`. */
  readonly run?: boolean;
}

const NAMES: readonly (keyof RetentionOptions)[] = [...RETAINED, "blobs", "archive", "every", "run"];
const BLOBS_MIN_MS = 24 * 60 * 60 * 1_000;
const EVERY_MIN_MS = 60_000;

/** By options, then the environment. Throws an EngineError that names what cannot be right. */
export function retentionSettings(options: RetentionOptions = {}): RetentionSettings {
  const unknown = Object.keys(options).find((name) => !(NAMES as readonly string[]).includes(name));
  if (unknown !== undefined) refuse(`retention has no option "${unknown}". There are ${NAMES.join(", ")}`);
  const { run } = options;
  if (run !== undefined && typeof run !== "boolean") refuse("retention.run is true or false");
  const keep = (name: keyof UsualKeeps): number | null => keepOf(options, name, USUAL_KEEPS[name]);
  const blobsMs = keepOf(options, "blobs", 7 * BLOBS_MIN_MS);
  if (blobsMs !== null && blobsMs < BLOBS_MIN_MS) refuse(`${nameOf(options, "blobs")} is 1d at least`);
  const everyMs = keepOf(options, "every", 60 * EVERY_MIN_MS) ?? 0;
  if (everyMs < EVERY_MIN_MS) refuse(`${nameOf(options, "every")} is 1m at least, and not forever`);
  const archive = options.archive ?? process.env["CAIRN_ARCHIVE"] ?? "";
  if (typeof archive !== "string") refuse("retention.archive is the path of a folder");
  return {
    keeps: {
      events: keep("events"),
      outbox: keep("outbox"),
      runs: keep("runs"),
      deleted: keep("deleted"),
      audit: keep("audit"),
    },
    blobsMs,
    archive: archive === "" ? null : resolve(archive),
    everyMs,
    isActive: run ?? isOn(),
  };
}

type Timed = keyof UsualKeeps | "blobs" | "every";

function keepOf(options: RetentionOptions, name: Timed, usual: number | null): number | null {
  const text: unknown = options[name] ?? process.env[variableOf(name)] ?? "";
  if (text === "") return usual;
  const keepMs = typeof text === "string" ? parseKeep(text) : undefined;
  if (keepMs !== undefined) return keepMs;
  const what = `${nameOf(options, name)} is a length of time such as 12h, 30d or 4w, or forever`;
  return refuse(`${what}, not ${JSON.stringify(text)}`);
}

function variableOf(name: Timed): string {
  return `CAIRN_RETENTION_${name.toUpperCase()}`;
}

function nameOf(options: RetentionOptions, name: Timed): string {
  return options[name] === undefined ? variableOf(name) : `retention.${name}`;
}

function isOn(): boolean {
  const said = process.env["CAIRN_RETENTION"] ?? "";
  if (!["", "on", "off"].includes(said)) refuse(`CAIRN_RETENTION is on or off, not ${JSON.stringify(said)}`);
  return said !== "off";
}

function refuse(message: string): never {
  throw new EngineError("InvalidOption", message);
}
