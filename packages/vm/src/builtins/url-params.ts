import type { IteratorMode } from "../heap/collection.ts";
import { VUrlParams } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { type HostContext, unsupported } from "../machine/host.ts";
import { newArray } from "./array-like.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { newIterator } from "./iterate.ts";
import { requireArguments, throwInvalidThis } from "./node-error.ts";
import { chargeOrder, toText } from "./string-conversion.ts";
import { toWellFormed } from "./string-well-formed.ts";
import { parseForm, serializeForm } from "./url-form.ts";
import { serialize, split } from "./url-record.ts";
import { urlSetters } from "./url-setters.ts";

export const urlParamsBuiltins: HostTable = {
  "URLSearchParams.prototype.append": {
    call(context, self, args) {
      const params = receiver(context, self);
      requireArguments(context, args, "name", "value");
      appendPair(context, params, wellFormed(context, args[0]), wellFormed(context, args[1]));
      updateUrl(context, params);
      return undefined;
    },
  },
  "URLSearchParams.prototype.delete": {
    call(context, self, args) {
      const params = receiver(context, self);
      const matches = matcher(context, params, args);
      context.touch(params);
      params.pairs = params.pairs.filter((pair) => !matches(pair));
      updateUrl(context, params);
      return undefined;
    },
  },
  "URLSearchParams.prototype.get": {
    call(context, self, args) {
      const params = receiver(context, self);
      return params.pairs.find(matcher(context, params, args.slice(0, 1)))?.[1] ?? null;
    },
  },
  "URLSearchParams.prototype.getAll": {
    call(context, self, args) {
      const params = receiver(context, self);
      const found = params.pairs.filter(matcher(context, params, args.slice(0, 1)));
      return newArray(
        context,
        found.map(([, value]) => value),
      );
    },
  },
  "URLSearchParams.prototype.has": {
    call(context, self, args) {
      const params = receiver(context, self);
      return params.pairs.some(matcher(context, params, args));
    },
  },
  "URLSearchParams.prototype.set": { call: setPair },
  "URLSearchParams.prototype.size": { get: (context, self) => receiver(context, self).pairs.length },
  "URLSearchParams.prototype.sort": {
    call(context, self) {
      const params = receiver(context, self);
      const { length } = params.pairs;
      context.charge(8 + length * (1 + Math.ceil(Math.log2(length + 1))) * 2, 0);
      chargeOrder(
        context,
        params.pairs.map(([name]) => name),
      );
      context.touch(params);
      params.pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      updateUrl(context, params);
      return undefined;
    },
  },
  "URLSearchParams.prototype.entries": iterators("entries"),
  "URLSearchParams.prototype.keys": iterators("keys"),
  "URLSearchParams.prototype.values": iterators("values"),
  "URLSearchParams.prototype.toString": {
    call: (context, self) => textOf(context, receiver(context, self)),
  },
};

/** Whether the arguments, a name and perhaps a value, are those of a pair. */
function matcher(
  context: HostContext,
  params: VUrlParams,
  args: readonly Value[],
): (pair: readonly [string, string]) => boolean {
  requireArguments(context, args, "name");
  const name = wellFormed(context, args[0]);
  const value = args[1] === undefined ? undefined : wellFormed(context, args[1]);
  context.charge(2 + params.pairs.length, 0);
  return (pair) => pair[0] === name && (value === undefined || pair[1] === value);
}

function setPair(context: HostContext, self: Value, args: readonly Value[]): undefined {
  const params = receiver(context, self);
  requireArguments(context, args, "name", "value");
  const name = wellFormed(context, args[0]);
  const value = wellFormed(context, args[1]);
  context.charge(2 + params.pairs.length, 0);
  const first = params.pairs.findIndex(([each]) => each === name);
  if (first < 0) {
    appendPair(context, params, name, value);
  } else {
    context.touch(params);
    context.charge(0, value.length);
    params.pairs = params.pairs.filter(([each], index) => index <= first || each !== name);
    params.pairs[first] = [name, value];
  }
  updateUrl(context, params);
  return undefined;
}

/** Both well formed. */
export function appendPair(context: HostContext, params: VUrlParams, name: string, value: string): void {
  context.touch(params);
  context.charge(4, 48 + name.length + value.length);
  params.pairs.push([name, value]);
}

export function newParams(context: HostContext, query: string): VUrlParams {
  context.charge(8 + query.length * 2, 64 + query.length * 4);
  return new VUrlParams(context.realm.prototype("URLSearchParams"), parseForm(query), null);
}

function textOf(context: HostContext, params: VUrlParams): string {
  let length = 0;
  for (const [name, value] of params.pairs) length += 2 + name.length + value.length;
  context.charge(4 + length * 2, length * 3);
  return serializeForm(params.pairs);
}

/** The URL that has these parameters shows them at once; Node does it when somebody looks, with the same result. */
function updateUrl(context: HostContext, params: VUrlParams): void {
  const { url } = params;
  if (url === null) return;
  context.touch(url);
  const text = textOf(context, params);
  context.charge(20 + url.href.length / 4, text.length);
  const record = split(url.href);
  // Node first takes the old query off, which strips the spaces, and may do so again at the next assignment.
  if (record.opaque && record.path.endsWith(" ")) unsupported("searchParams of a URL whose path ends in a space");
  urlSetters.search(record, text);
  url.href = serialize(record);
}

export function wellFormed(context: HostContext, value: Value): string {
  const text = toText(context, value);
  context.charge(text.length / 8, 0);
  return toWellFormed(text);
}

function iterators(mode: IteratorMode): HostEntry {
  return { call: (context, self) => newIterator(context, "params", mode, receiver(context, self)) };
}

function receiver(context: HostContext, self: Value): VUrlParams {
  return self instanceof VUrlParams ? self : throwInvalidThis(context, "URLSearchParams");
}
