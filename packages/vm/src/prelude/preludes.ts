import type { Prelude } from "@cairnjs/ir";
import { hostTable, operationTable } from "../builtins/tables.ts";
import { preludeText as prelude1 } from "./prelude-1.ts";
import { type PreludeImage, loadPrelude } from "./prelude.ts";

/** One for each `semantics` number there ever was: frames inside a prelude are stored, so none may change or go. */
const texts: ReadonlyMap<number, string> = new Map([[1, prelude1]]);
const loaded = new Map<number, PreludeImage>();

/** The prelude of a semantics number with its realm: immutable, so that one serves the whole process. */
export function preludeOf(semantics: number): PreludeImage {
  let prelude = loaded.get(semantics);
  if (prelude === undefined) {
    const text = texts.get(semantics);
    if (text === undefined) throw new RangeError(`There is no prelude for semantics ${semantics}`);
    prelude = loadPrelude(JSON.parse(text) as Prelude, hostTable, operationTable);
    loaded.set(semantics, prelude);
  }
  return prelude;
}
