import { EngineError } from "./engine-error.ts";

const NAMESPACE = /^[A-Za-z0-9._-]{1,100}$/;

/** A tenant's name is the first part of keys, and of the names of pools before a colon. */
export function checkNamespace(namespace: string): string {
  if (typeof namespace === "string" && NAMESPACE.test(namespace)) return namespace;
  throw new EngineError("InvalidOption", "A namespace has 1 to 100 letters, digits, dots, hyphens and underscores");
}
