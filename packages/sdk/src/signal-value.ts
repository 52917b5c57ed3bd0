import type { Codec } from "@cairnjs/ir";
import { decodeCopy, encodeCopy, type EncodedCopy } from "./copy.ts";
import { declaredSignalSchema } from "./declared.ts";
import { signalBySchema } from "./schema-check.ts";

/**
 * A signal's value as the run will get it, for whoever sends one: copied as by storage, checked by the schema that
 * the signal was declared with, and what that makes of it. Throws InvalidInput, or NotStorable whose path begins with
 * `root`.
 */
export function checkedSignal(name: string, value: unknown, root: string, sealed?: Codec): EncodedCopy {
  const copy = encodeCopy(value, root, sealed);
  const schema = declaredSignalSchema(name);
  return schema === undefined ? copy : encodeCopy(signalBySchema(name, schema, decodeCopy(copy)), root);
}
