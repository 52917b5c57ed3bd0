import { Wrong } from "./tag-payload.ts";

/** The values that `$def` numbers, for `$ref`; numbers are given in the order of the text, from 0. */
export class Definitions<V> {
  readonly #entries: Definition<V>[] = [];
  /** Inside a codec's payload: definitions below this one were begun outside of it. */
  firstInsideCodec = 0;

  get count(): number {
    return this.#entries.length;
  }

  begin(number: unknown): number {
    if (number !== this.#entries.length) {
      throw new Wrong(`$def has the next number, here ${this.#entries.length}, and a value`);
    }
    this.#entries.push({ value: undefined, isComplete: false });
    return number;
  }

  /** The value exists and may be referred to, from inside itself too. */
  create(number: number, value: V): void {
    this.#entries[number]!.value = value;
  }

  complete(number: number): void {
    this.#entries[number]!.isComplete = true;
  }

  valueOf(number: unknown): V {
    const entry = typeof number === "number" ? this.#entries[number] : undefined;
    if (entry === undefined) throw new Wrong("$ref holds the number of a $def before it");
    if (!entry.isComplete && (number as number) < this.firstInsideCodec) {
      throw new Wrong("the payload of a $codec refers to a value around it");
    }
    return entry.value as V;
  }
}

interface Definition<V> {
  value: V | undefined;
  isComplete: boolean;
}
