import { CAIRN } from "./2-analyze/link/cairn-exports.ts";
import type { SourceHooks } from "./2-analyze/link/modules.ts";

/**
 * Whether a module is worth compiling. `directly`: it imports `cairnjs`. `perhaps`: it imports a module of the project
 * that may pass exports of `cairnjs` on; only compiling it tells.
 *
 * Looked for in the text, since most modules of a project have nothing to do with workflows, and parsing one takes
 * thirty times as long (measured over 1,000 modules). What only looks like an import makes the answer too generous. It
 * is too strict only when a constant that passes a name on is far from its `=`: on another line, or 200 characters on.
 */
export function importsCairn(id: string, source: string, hooks: SourceHooks): "directly" | "perhaps" | "no" {
  const specifiers = specifiersOf(source);
  if (specifiers.includes(CAIRN)) return "directly";
  const seen = new Set([id]);
  return specifiers.some((specifier) => passesOn(specifier, id, hooks, seen)) ? "perhaps" : "no";
}

// Both take time in proportion to the text, also of generated files without semicolons.
const FROM = /\bfrom(?:\s|\/\*[^*]*\*\/|\/\/.*\n)*(["'])([^"'\n]+)\1/g;
/** `export *`, `export { workflow }`, `export default workflow`, `export const task = action as Task`. */
const PASSES_NAMES_ON =
  /\bexport\s*[{*]|\bexport\s+(?:default|(?:const|let|var)\b[^;\n]{0,200}?=)[\s(]*[\w$.]+\s*(?:[;,)!\n]|as\b|satisfies\b|$)/;
const SCRIPT = /\.[cm]?[jt]sx?$/;

function passesOn(specifier: string, importer: string, hooks: SourceHooks, seen: Set<string>): boolean {
  if (specifier === CAIRN) return true;
  const id = hooks.resolve(specifier, importer);
  if (id === null || seen.has(id) || !SCRIPT.test(id)) return false;
  seen.add(id);
  const source = readable(id, hooks);
  if (source === null) return false;
  if (!PASSES_NAMES_ON.test(source)) return false;
  return specifiersOf(source).some((each) => passesOn(each, id, hooks, seen));
}

function readable(id: string, hooks: SourceHooks): string | null {
  try {
    return hooks.read(id);
  } catch {
    return null;
  }
}

function specifiersOf(source: string): string[] {
  return [...source.matchAll(FROM)].map((match) => match[2] ?? "");
}
