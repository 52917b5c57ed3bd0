import { hash } from "node:crypto";

/** A key in the form of a UUID, the same for the same parts: what one caller chooses never meets what another does. */
export function keyOfParts(...parts: readonly unknown[]): string {
  const hex = hash("sha256", JSON.stringify(parts));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
