import { CAIRN } from "./2-analyze/link/cairn-exports.ts";
import type { SourceHooks } from "./2-analyze/link/linker.ts";

/**
 * Whether a module is worth compiling. `directly`: it imports `cairnjs`. `perhaps`: it imports a module of the project
 * that may pass exports of `cairnjs` on; only compiling it tells.
 *
 * Looked for in the text, since most modules of a project have nothing to do with workflows, and parsing one takes
 * fifty times as long. What only looks like an import makes the answer too generous, never too strict.
 */
export function importsCairn(id: string, source: string, hooks: SourceHooks): "directly" | "perhaps" | "no" {
  const specifiers = matches(FROM, source);
  if (specifiers.includes(CAIRN)) return "directly";
  const seen = new Set([id]);
  return specifiers.some((specifier) => passesOn(specifier, id, hooks, seen)) ? "perhaps" : "no";
}

const FROM = /\bfrom\s*(["'])([^"'\n]+)\1/g;
const EXPORT_FROM = /\bexport\s*(?:\*|\{)[^"'`;]*?\bfrom\s*(["'])([^"'\n]+)\1/g;
/** `export { workflow }`, `export default workflow`, `export const task = action`. */
const EXPORTED_NAME =
  /\bexport\s*\{|\bexport\s+(?:default|(?:const|let|var)\s+[\w$]+[^=\n]*=)\s*[\w$.]+\s*(?:[;,\n]|$)/;
const SCRIPT = /\.[cm]?[jt]sx?$/;

function passesOn(specifier: string, importer: string, hooks: SourceHooks, seen: Set<string>): boolean {
  if (specifier === CAIRN) return true;
  const id = hooks.resolve(specifier, importer);
  if (id === null || seen.has(id) || !SCRIPT.test(id)) return false;
  seen.add(id);
  const source = readable(id, hooks);
  if (source === null) return false;
  const next = matches(EXPORTED_NAME.test(source) ? FROM : EXPORT_FROM, source);
  return next.some((each) => passesOn(each, id, hooks, seen));
}

function readable(id: string, hooks: SourceHooks): string | null {
  try {
    return hooks.read(id);
  } catch {
    return null;
  }
}

function matches(pattern: RegExp, source: string): string[] {
  return [...source.matchAll(pattern)].map((match) => match[2] ?? "");
}
