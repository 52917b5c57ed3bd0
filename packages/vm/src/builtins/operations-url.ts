import { getOwn, ownKeys } from "../heap/properties.ts";
import { VUrlParams } from "../heap/data.ts";
import { ENUMERABLE, type VObject } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { newArray } from "./array-like.ts";
import type { OperationTable } from "./host-table.ts";
import { throwInvalidThis, throwInvalidType, throwNodeError } from "./node-error.ts";
import { appendPair, newParams, wellFormed } from "./url-params.ts";

/** What the prelude needs to construct and walk URLSearchParams. */
export const urlOperations: OperationTable = {
  isParams: (_context, [value]) => value instanceof VUrlParams,
  newParams: (context, [text]) => newParams(context, wellFormed(context, text)),
  copyParams(context, [source]) {
    const made = newParams(context, "");
    for (const [name, value] of (source as VUrlParams).pairs) appendPair(context, made, name, value);
    return made;
  },
  appendParam(context, [params, name, value]) {
    appendPair(context, params as VUrlParams, wellFormed(context, name), wellFormed(context, value));
    return undefined;
  },
  putParam(context, [target, name, value]) {
    const params = target as VUrlParams;
    const key = wellFormed(context, name);
    const text = wellFormed(context, value);
    // Keys of an object differ; two can only become the same where a lone surrogate was replaced.
    const mayBeThere = key.includes("\ufffd");
    if (mayBeThere) context.charge(params.pairs.length, 0);
    const same = mayBeThere ? params.pairs.findIndex(([each]) => each === key) : -1;
    if (same < 0) {
      appendPair(context, params, key, text);
    } else {
      context.touch(params);
      params.pairs[same] = [key, text];
    }
    return undefined;
  },
  ownKeyList(context, [object]) {
    const keys = ownKeys(object as VObject);
    context.charge(keys.length, 0);
    return newArray(context, keys);
  },
  isOwnEnumerable(_context, [object, key]) {
    const own = getOwn(object as VObject, key as string);
    return own !== undefined && (own.attributes & ENUMERABLE) !== 0;
  },
  throwInvalidTuple(context) {
    throwNodeError(
      context,
      "TypeError",
      "ERR_INVALID_TUPLE",
      "Each query pair must be an iterable [name, value] tuple",
    );
  },
  requireParams(context, [params, callback]) {
    if (!(params instanceof VUrlParams)) throwInvalidThis(context, "URLSearchParams");
    if (!isCallable(callback)) throwInvalidType(context, "callback", "of type function", callback);
    return undefined;
  },
  paramsSize: (_context, [params]) => (params as VUrlParams).pairs.length,
  paramName: (_context, [params, index]) => (params as VUrlParams).pairs[Number(index)]![0],
  paramValue: (_context, [params, index]) => (params as VUrlParams).pairs[Number(index)]![1],
};
