import { defineField } from "../heap/properties.ts";
import { VUrl } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { type HostContext, Thrown, throwError } from "../machine/host.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { requireArguments, throwNodeError } from "./node-error.ts";
import { toText } from "./string-conversion.ts";
import { toWellFormed } from "./string-well-formed.ts";
import { parseForm } from "./url-form.ts";
import { newParams } from "./url-params.ts";
import { parseUrl } from "./url-parser.ts";
import { type UrlRecord, hostAndPort, isSpecial, serialize, split } from "./url-record.ts";
import { urlSetters } from "./url-setters.ts";

export const urlBuiltins: HostTable = {
  URL: { construct: (context, _newTarget, args) => newUrl(context, args) },
  "URL.canParse": {
    call(context, _self, args) {
      requireArguments(context, args, "url");
      return parsed(context, ...textsOf(context, args)) !== null;
    },
  },
  "URL.prototype.hash": part((url) => marked("#", url.fragment), "hash"),
  "URL.prototype.host": part(hostAndPort, "host"),
  "URL.prototype.hostname": part((url) => url.host ?? "", "hostname"),
  "URL.prototype.href": { get: (context, self) => receiver(context, self).href, set: setHref },
  "URL.prototype.origin": part(originOf),
  "URL.prototype.password": part((url) => url.password, "password"),
  "URL.prototype.pathname": part((url) => url.path, "pathname"),
  "URL.prototype.port": part((url) => (url.port === null ? "" : String(url.port)), "port"),
  "URL.prototype.protocol": part((url) => `${url.scheme}:`, "protocol"),
  "URL.prototype.search": part((url) => marked("?", url.query), "search"),
  "URL.prototype.searchParams": { get: (context, self) => receiver(context, self).params },
  "URL.prototype.toJSON": { call: (context, self) => receiver(context, self).href },
  "URL.prototype.toString": { call: (context, self) => receiver(context, self).href },
  "URL.prototype.username": part((url) => url.username, "username"),
};

function newUrl(context: HostContext, args: readonly Value[]): VUrl {
  requireArguments(context, args, "url");
  const [input, base] = textsOf(context, args);
  const record = parsed(context, input, base);
  if (record === null) {
    const error = context.newError("TypeError", "Invalid URL");
    defineField(context, error, "code", "ERR_INVALID_URL");
    defineField(context, error, "input", input);
    if (base !== undefined) defineField(context, error, "base", base);
    throw new Thrown(error);
  }
  return urlOf(context, record);
}

/**
 * The parameters are made with the URL, and not when somebody asks: a captured constant is shared by all runs of
 * its program, so nothing may be added to it later.
 */
export function urlOf(context: HostContext, record: UrlRecord): VUrl {
  const href = serialize(record);
  context.charge(0, 96 + href.length);
  const url = new VUrl(context.realm.prototype("URL"), href);
  url.params = newParams(context, marked("?", record.query));
  url.params.url = url;
  return url;
}

function textsOf(context: HostContext, [input, base]: readonly Value[]): [string, string | undefined] {
  const text = toText(context, input);
  return [text, base === undefined ? undefined : toText(context, base)];
}

function parsed(context: HostContext, input: string, base: string | undefined): UrlRecord | null {
  const length = input.length + (base?.length ?? 0);
  context.charge(60 + length * 4, length);
  if (base === undefined) return parseUrl(input, null);
  const baseRecord = parseUrl(base, null);
  return baseRecord === null ? null : parseUrl(input, baseRecord);
}

function part(read: (url: UrlRecord) => string, name?: keyof typeof urlSetters): HostEntry {
  const get: HostEntry["get"] = (context, self) => {
    const { href } = receiver(context, self);
    context.charge(10 + href.length / 4, 0);
    return read(split(href));
  };
  if (name === undefined) return { get };
  const set: HostEntry["set"] = (context, self, args) => {
    const url = receiver(context, self);
    const value = assignedText(context, args[0]);
    context.touch(url);
    context.charge(40 + url.href.length / 4 + value.length * 4, value.length);
    const record = split(url.href);
    urlSetters[name](record, toWellFormed(value));
    replaceHref(context, url, record);
    return undefined;
  };
  return { get, set };
}

function setHref(context: HostContext, self: Value, args: readonly Value[]): undefined {
  const url = receiver(context, self);
  const value = assignedText(context, args[0]);
  const record = parsed(context, value, undefined);
  if (record === null) throwInvalidHref(context, value);
  context.touch(url);
  replaceHref(context, url, record);
  return undefined;
}

/** An assignment has no way to call an object's `toString`; a URL's own is known. */
function assignedText(context: HostContext, value: Value): string {
  return value instanceof VUrl && !value.has("toString") ? value.href : toText(context, value);
}

function throwInvalidHref(context: HostContext, input: string): never {
  try {
    return throwNodeError(context, "TypeError", "ERR_INVALID_URL", "Invalid URL");
  } catch (thrown) {
    if (thrown instanceof Thrown) defineField(context, thrown.value as VUrl, "input", input);
    throw thrown;
  }
}

/** The parameters follow, if there are any and the query has changed. */
function replaceHref(context: HostContext, url: VUrl, record: UrlRecord): void {
  const { params } = url;
  const searchBefore = params === null ? "" : marked("?", split(url.href).query);
  url.href = serialize(record);
  context.charge(0, url.href.length);
  const search = marked("?", record.query);
  if (params === null || search === searchBefore) return;
  context.touch(params);
  context.charge(search.length * 2, search.length * 4);
  params.pairs = parseForm(search);
}

/** Query and fragment as `search` and `hash` show them: nothing when empty. */
function marked(mark: string, text: string | null): string {
  return text === null || text === "" ? "" : mark + text;
}

function originOf(url: UrlRecord): string {
  if (isSpecial(url.scheme)) return url.scheme === "file" ? "null" : `${url.scheme}://${hostAndPort(url)}`;
  if (url.scheme === "blob" && url.path !== "") {
    const inner = parseUrl(url.path, null);
    if (inner !== null && (inner.scheme === "http" || inner.scheme === "https")) {
      return `${inner.scheme}://${hostAndPort(inner)}`;
    }
  }
  return "null";
}

function receiver(context: HostContext, self: Value): VUrl {
  if (self instanceof VUrl) return self;
  return throwError(context, "TypeError", "Receiver must be an instance of class URL");
}
