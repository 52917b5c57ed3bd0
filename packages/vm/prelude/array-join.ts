import { lengthOf } from "./array-length.ts";
import { toString } from "./operators.ts";

/** An object that is being joined already, further up in the calls, gives the empty text: V8's guard of cycles. */
export function Array_prototype_join(this: unknown, separator: unknown): string {
  const object = $.toObject(this, "");
  const length = lengthOf(object);
  const between = separator === undefined ? "," : toString(separator);
  if ($.isJoining(object)) return "";
  const plain = $.joinPrimitives(object, between);
  return plain === undefined ? joinElements(object, length, between) : plain;
}

/** The machine knows a join under way by this function's frame and its first argument. */
export function joinElements(object: ArrayLike<unknown>, length: number, between: string): string {
  let text = "";
  for (let index = 0; index < length; index++) {
    if (index > 0) text += between;
    const item = object[index];
    if (item !== undefined && item !== null) text += toString(item);
  }
  return text;
}

export function Array_prototype_toString(this: unknown): string {
  const object = $.toObject(this, "");
  const join = $.get(object, "join");
  if ($.isCallable(join)) return $.call(join, object) as string;
  return $.call(Object.prototype.toString, object) as string;
}
