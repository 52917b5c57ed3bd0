import type { NativeErrorClass, NativeErrorClasses } from "@cairnjs/ir";
import { decodeCopy, encodeThrown, type EncodedCopy } from "../copy.ts";
import { IN_MEMORY } from "../sealing.ts";
import { errorsIn, setStack, stackOf } from "../stacks.ts";

/**
 * Owns: what a run's errors are in this process, beyond what is stored of them: their classes, by name, and the stacks
 * that they had when they were thrown, by what is stored of them. The machine knows nothing of either.
 */
export class MetErrors {
  readonly #classes: Map<string, NativeErrorClass>;
  readonly #stacks = new Map<string, string>();

  constructor(classes: Iterable<readonly [string, NativeErrorClass]>) {
    this.#classes = new Map(classes);
  }

  get classes(): NativeErrorClasses {
    return this.#classes;
  }

  /** Classes that an error may turn out to be of; what is known by that name already stays. */
  expect(classes: NativeErrorClasses): void {
    for (const [name, errorClass] of classes) if (!this.#classes.has(name)) this.#classes.set(name, errorClass);
  }

  /** What an action has given or thrown. */
  meet({ classes, thrown }: EncodedCopy): void {
    for (const [name, errorClass] of classes) this.#classes.set(name, errorClass);
    for (const error of errorsIn(thrown)) {
      const stack = stackOf(error);
      if (stack !== null) this.#stacks.set(encodeThrown(error).text, stack);
    }
  }

  decode(text: string): unknown {
    const value = decodeCopy({ text, classes: this.#classes }, IN_MEMORY);
    if (this.#stacks.size === 0) return value;
    for (const error of errorsIn(value)) setStack(error, this.#stacks.get(encodeThrown(error).text) ?? null);
    return value;
  }
}
