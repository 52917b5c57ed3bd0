import { decodeCopy, encodeCopy, type EncodedCopy } from "../copy.ts";
import { ENGINE_ERRORS } from "../errors.ts";
import type { PayloadCodec } from "../sealed.ts";
import { opening, sealing } from "../sealing.ts";
import { checkedSignal } from "../signal-value.ts";

/** Values as they stand in requests and answers: JSON in the tagged encoding. What is sealed goes through the codec. */
export class Values {
  readonly #codec: PayloadCodec | null;

  constructor(codec: PayloadCodec | null) {
    this.#codec = codec;
  }

  /** `root` is what the path of a NotStorable error begins with. */
  async encode(value: unknown, root: string): Promise<EncodedCopy> {
    return sealing((sealed) => encodeCopy(value, root, sealed), this.#codec);
  }

  async encodeSignal(name: string, value: unknown): Promise<EncodedCopy> {
    return sealing((sealed) => checkedSignal(name, value, "signal", sealed), this.#codec);
  }

  /** Without a codec, what is sealed stays so. */
  async decode(json: unknown): Promise<unknown> {
    const copy = { json, classes: ENGINE_ERRORS };
    return this.#codec === null ? decodeCopy(copy) : opening(copy, this.#codec);
  }

  /** Decodes those of an answer, where there are any: `result` and `error` are left out of what has none. */
  async decodeIn<T extends object>(item: T, keys: readonly (keyof T)[]): Promise<T> {
    const made = { ...item };
    for (const key of keys) if (item[key] !== undefined) made[key] = (await this.decode(item[key])) as T[keyof T];
    return made;
  }
}

/** The same with dates in the place of texts. */
export type Timed<T, Keys extends keyof T> = Omit<T, Keys> & {
  readonly [Key in Keys]: null extends T[Key] ? Date | null : Date;
};

export function timed<T extends object, Keys extends keyof T>(item: T, keys: readonly Keys[]): Timed<T, Keys> {
  const times = keys.map((key) => [key, item[key] === null ? null : new Date(item[key] as string)]);
  return { ...item, ...(Object.fromEntries(times) as object) } as Timed<T, Keys>;
}
