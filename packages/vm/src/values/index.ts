import { decodeValue, encodeValue } from "@cairnjs/ir";
import type { Value } from "../heap/value.ts";
import type { HostContext } from "../machine/host.ts";
import type { ErrorClasses } from "./error-names.ts";
import { VmBuilder } from "./vm-builder.ts";
import { VmReader } from "./vm-reader.ts";

/** What decoding needs of a machine besides a built-in's means: the error classes of its program, by name. */
export interface ValueContext extends HostContext {
  readonly image: { readonly classesByName: ErrorClasses };
}

/** The canonical text of a program's value. Throws `NotStorable`, whose path begins with `root`. */
export function encodeVm(context: HostContext, value: Value, root?: string): string {
  return encodeValue(value, new VmReader(context), root);
}

/** A fresh program value. Throws `MalformedValue` when the text encodes none. */
export function decodeVm(context: ValueContext, text: string): Value {
  context.charge(text.length / 4, 0);
  return decodeValue(text, new VmBuilder(context, context.image.classesByName));
}
