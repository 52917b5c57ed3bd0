import type { CallRef } from "@cairnjs/schemas";
import { tryKey } from "../try-key.ts";

/** Older ones are forgotten. */
const KEPT = 10_000;

/** Owns: tries that nobody had. Whoever was told may not have held the run at that moment, as in quarantine, and asks again. */
export class LostTries {
  readonly #keys = new Set<string>();

  has(id: CallRef): boolean {
    return this.#keys.has(tryKey(id));
  }

  add(id: CallRef): void {
    const key = tryKey(id);
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > KEPT) this.#keys.delete(oldest!);
  }
}
