import { unsupported } from "../machine/host.ts";
import { Kind, VObject, type Value } from "./value.ts";

/**
 * An instance of a class that the user registered with a codec. Its methods are the user's code and exist in actions
 * alone: a body may hold it, compare it by identity, and pass it on, and any look inside ends the run.
 */
export class VForeign extends VObject {
  readonly kind = Kind.Foreign;
  readonly codec: string;
  /** What the codec made of the instance, and makes it from again. */
  payload: Value;

  constructor(proto: VObject | null, codec: string, payload: Value) {
    super(proto);
    this.codec = codec;
    this.payload = payload;
    // Without a shape, so that no instruction remembers one and looks past `read`.
    this.shape = null;
  }

  /** A promise that resolves to it asks for `then`: such instances are no promises. */
  override read(key: string): Value {
    return key === "then" ? undefined : this.refuse();
  }

  override has(key: string): boolean {
    return key === "then" ? false : this.refuse();
  }

  override write(): void {
    this.refuse();
  }

  override remove(): void {
    this.refuse();
  }

  override keys(): readonly string[] {
    return this.refuse();
  }

  refuse(): never {
    unsupported(`using a value of the codec '${this.codec}' in a body, other than passing it on to an action,`);
  }
}
