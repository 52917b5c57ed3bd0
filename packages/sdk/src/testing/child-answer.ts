import { encodeNative } from "@cairnjs/ir";
import { ENGINE_ERRORS, NoHandlerRegistered } from "../errors.ts";
import type { ChildStep } from "./local-run.ts";

/** How a call of a child workflow ends, as things stand; null: not yet. */
export function childAnswer({
  child,
  effect,
  refusal,
}: ChildStep): { readonly kind: "result" | "error"; readonly text: string } | null {
  if (refusal !== null) return { kind: "error", text: refusal };
  if (child === null) {
    const error = new NoHandlerRegistered(`There is no workflow "${effect.workflow}"`);
    return { kind: "error", text: encodeNative(error, { errorClasses: ENGINE_ERRORS }) };
  }
  // Who starts a run that lives on its own gets its id, whatever becomes of it.
  if (effect.detached) return { kind: "result", text: encodeNative({ id: child.id }) };
  if (child.ended === null) return null;
  const { status, value } = child.ended;
  return { kind: status === "succeeded" ? "result" : "error", text: value };
}
