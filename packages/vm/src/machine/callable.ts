import { Kind, VObject, type Value } from "../heap/value.ts";

export function isCallable(value: Value): value is VObject {
  if (!(value instanceof VObject)) return false;
  switch (value.kind) {
    case Kind.Closure:
    case Kind.Builtin:
    case Kind.Bound:
    case Kind.Durable:
    case Kind.Class:
    case Kind.Resolver:
      return true;
    default:
      return false;
  }
}
