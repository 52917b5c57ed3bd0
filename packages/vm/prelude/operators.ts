/** The operators on objects: ToPrimitive calls the program's `valueOf` and `toString`, so it is bytecode. */

export function toPrimitive(value: unknown, hint: string): unknown {
  if (!$.isObject(value)) return value;
  const dateLike = hint === "default" && $.isDate(value);
  const first = hint === "string" || dateLike ? "toString" : "valueOf";
  let method = $.get(value, first);
  if ($.isCallable(method)) {
    const result = $.call(method, value);
    if (!$.isObject(result)) return result;
  }
  method = $.get(value, first === "toString" ? "valueOf" : "toString");
  if ($.isCallable(method)) {
    const result = $.call(method, value);
    if (!$.isObject(result)) return result;
  }
  throw new TypeError("Cannot convert object to primitive value");
}

export function toString(value: unknown): string {
  return $.unaryPrimitive("toString", toPrimitive(value, "string")) as string;
}

export function toNumber(value: unknown): number {
  return $.unaryPrimitive("toNumber", toPrimitive(value, "number")) as number;
}

export function toPropertyKey(value: unknown): string {
  return $.unaryPrimitive("toPropertyKey", toPrimitive(value, "string")) as string;
}

/** `name` is one of the machine's arithmetic and relational operators. */
export function binary(name: string, left: unknown, right: unknown): unknown {
  const hint = name === "add" ? "default" : "number";
  const leftPrimitive = toPrimitive(left, hint);
  return $.binaryPrimitive(name, leftPrimitive, toPrimitive(right, hint));
}

export function unary(name: string, value: unknown): unknown {
  const hint = name === "toString" || name === "toPropertyKey" ? "string" : "number";
  return $.unaryPrimitive(name, toPrimitive(value, hint));
}

/** One side is an object, the other neither object, null nor undefined. */
export function equal(left: unknown, right: unknown): boolean {
  return toPrimitive(left, "default") == toPrimitive(right, "default");
}

export function notEqual(left: unknown, right: unknown): boolean {
  return toPrimitive(left, "default") != toPrimitive(right, "default");
}

export function getComputed(object: unknown, key: unknown): unknown {
  return $.getMember(object, toPropertyKey(key));
}

export function setComputed(object: unknown, key: unknown, value: unknown): void {
  const name = toPropertyKey(key);
  $.setMember(object, name, $.isByteIndex(object, name) ? toNumber(value) : value);
}

export function deleteComputed(object: unknown, key: unknown): boolean {
  return $.deleteMember(object, toPropertyKey(key));
}

export function hasComputed(key: unknown, object: unknown): boolean {
  return $.hasMember(object, toPropertyKey(key));
}

/** A built-in of the host got an object where it wants a primitive. */
export function coerceCall(builtin: unknown, self: unknown, args: unknown[], constructing: boolean): unknown {
  const hints = $.coerceHints(builtin);
  const before = constructing ? undefined : $.stateBeforeArguments(builtin, self, args);
  if (!constructing && !$.argumentsMatter(builtin, self, before)) return $.callHost(builtin, self, args, false);
  let receiver = self;
  if (!constructing && hints[0] !== "-") receiver = toPrimitive(self, hints[0] === "s" ? "string" : "number");
  for (let index = 0; index < args.length; index++) {
    const hint = index + 1 < hints.length ? hints[index + 1] : hints[hints.length - 1];
    if (!constructing && !$.argumentNeeded(builtin, receiver, args, index)) break;
    if (hint !== "-") args[index] = toPrimitive(args[index], hint === "s" ? "string" : "number");
  }
  if (!constructing) $.requireState(builtin, self, args, before);
  return $.callHost(builtin, receiver, args, constructing);
}
