import type { Prelude } from "@cairnjs/ir";
import { hostTable, operationTable } from "../builtins/tables.ts";
import { preludeText } from "./prelude-1.ts";
import { type PreludeImage, loadPrelude } from "./prelude.ts";

let loaded: PreludeImage | null = null;

/** The prelude of semantics 1 with its realm: immutable, so that one serves the whole process. */
export function currentPrelude(): PreludeImage {
  return (loaded ??= loadPrelude(JSON.parse(preludeText) as Prelude, hostTable, operationTable));
}
