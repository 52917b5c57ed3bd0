/**
 * How instances of one class are stored: as the payload that `encode` makes, any storable value that does
 * not lead back to the instance. The name goes into stored data and must never change.
 *
 * Asked about every object that is no plain object and no plain array, before the built-in classes, in the
 * order of the list; the first that matches decides.
 */
export interface Codec {
  readonly name: string;
  matches(value: object): boolean;
  encode(value: unknown): unknown;
  decode(payload: unknown): unknown;
}
