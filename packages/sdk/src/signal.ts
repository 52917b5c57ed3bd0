import { refused } from "./durable-promise.ts";
import { requireName } from "./definition.ts";
import type { Duration } from "./options.ts";

export interface WaitOptions {
  /** Then the wait rejects with `SignalTimeout`. */
  readonly timeout?: Duration | Date;
}

/** Something that people or other systems tell a run. */
export interface Signal<T> {
  readonly name: string;
  /** Takes the next one of this name; those that came before anyone waited count too. */
  wait(options?: WaitOptions): Promise<T>;
}

/** The part of the Standard Schema interface that types need; Zod, Valibot and ArkType have it. */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

export function signal<T = unknown>(name: string, _schema?: Schema<T>): Signal<T> {
  requireName(name, "signal");
  return new NamedSignal(name);
}

/** Called as a plain function, a workflow has nobody who could send it a signal. */
class NamedSignal<T> implements Signal<T> {
  declare readonly name: string;

  constructor(name: string) {
    Object.defineProperty(this, "name", { value: name });
  }

  wait(): Promise<T> {
    if (!(this instanceof NamedSignal)) throw new TypeError("wait() belongs to a signal");
    return refused(
      new Error(
        `Nobody can send the signal "${this.name}" to a workflow that was called as a plain function. ` +
          "Run it with `cairn try --signals`, or with runInMemory() of cairnjs/testing.",
      ),
    );
  }
}
