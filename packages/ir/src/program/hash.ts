import { createHash } from "node:crypto";
import type { Program } from "./program.ts";

/**
 * SHA-256 in hexadecimal of all that decides how a run behaves or how its steps are called: everything but where
 * things stand in the source and what its files and constants are called, so a formatter changes no version.
 */
export function programHash(program: Program): string {
  const { debug: _debug, steps, globals, ...rest } = program;
  const lifted = steps.map(({ action, captures }) => ({ action, captures }));
  return createHash("sha256")
    .update(canonical({ ...rest, steps: lifted, globals: globals.length }))
    .digest("hex");
}

/** JSON with the keys of every object in order, so that equal programs give equal text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    // Code is long lists of numbers, for which the host's own way gives the same text.
    if (value.every((item) => typeof item === "number")) return JSON.stringify(value);
    return `[${value.map(canonical).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`).join(",")}}`;
}
