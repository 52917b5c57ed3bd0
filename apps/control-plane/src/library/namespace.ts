import { EngineError } from "./engine-error.ts";

const NAMESPACE = /^[A-Za-z0-9._-]{1,100}$/;
const FOLDER = /^\.\.?$/;

/** A tenant's name is the first part of keys, and of the names of pools before a colon; of its archive, it is the folder. */
export function checkNamespace(namespace: string): string {
  if (typeof namespace === "string" && NAMESPACE.test(namespace)) {
    if (!FOLDER.test(namespace)) return namespace;
    throw new EngineError("InvalidOption", "A namespace is not . or .., which are folders");
  }
  throw new EngineError("InvalidOption", "A namespace has 1 to 100 letters, digits, dots, hyphens and underscores");
}
