import { toString } from "./operators.ts";

export function new_URLSearchParams(init: unknown): unknown {
  if (init === undefined || init === null) return $.newParams("");
  if (!$.isObject(init)) return $.newParams(toString(init));
  if ($.isParams(init)) return $.copyParams(init);
  const params = $.newParams("");
  if ($.isIterable(init)) {
    for (const pair of init) appendPair(params, pair);
    return params;
  }
  const keys = $.ownKeyList(init);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    if ($.isOwnEnumerable(init, key)) $.putParam(params, key, toString($.get(init, key)));
  }
  return params;
}

function appendPair(params: unknown, pair: unknown): void {
  if ($.isArray(pair)) {
    if ($.lengthOf(pair) !== 2) $.throwInvalidTuple();
    const name = toString($.get(pair, 0));
    $.appendParam(params, name, toString($.get(pair, 1)));
    return;
  }
  if (!$.isObject(pair) || !$.isIterable(pair)) $.throwInvalidTuple();
  const parts: string[] = [];
  let count = 0;
  for (const part of pair) parts[count++] = toString(part);
  if (count !== 2) $.throwInvalidTuple();
  $.appendParam(params, parts[0]!, parts[1]!);
}

/** By index, as Node walks them: pairs that the callback adds are visited, one that moves up is left out. */
export function URLSearchParams_prototype_forEach(this: unknown, callback: unknown, thisArg: unknown): void {
  $.requireParams(this, callback);
  for (let index = 0; index < $.paramsSize(this); index++) {
    $.call(callback, thisArg, $.paramValue(this, index), $.paramName(this, index), this);
  }
}
