import { getProperty } from "../heap/properties.ts";
import { VBytes, VDecoder, VEncoder } from "../heap/data.ts";
import { VObject, VPlain, type Value } from "../heap/value.ts";
import { type HostContext, unsupported } from "../machine/host.ts";
import { bytesOf, touchBytes } from "./bytes-receiver.ts";
import type { HostTable } from "./host-table.ts";
import { throwInvalidThis, throwInvalidType, throwNodeError } from "./node-error.ts";
import { toText } from "./string-conversion.ts";
import { labelKind } from "./text-encoding-labels.ts";
import { decodeUtf8, utf8Length, utf8Of, writeUtf8 } from "./text-encoding-utf8.ts";

export const textEncodingBuiltins: HostTable = {
  TextEncoder: {
    construct(context) {
      context.charge(4, 48);
      return new VEncoder(context.realm.prototype("TextEncoder"));
    },
  },
  "TextEncoder.prototype.encode": {
    call(context, self, args) {
      requireEncoder(context, self);
      const text = args[0] === undefined ? "" : toText(context, args[0]);
      context.charge(10 + text.length / 4, 0);
      context.charge(0, 200 + utf8Length(text));
      return bytesOf(context, utf8Of(text));
    },
  },
  "TextEncoder.prototype.encodeInto": { call: encodeInto },
  "TextEncoder.prototype.encoding": {
    get(context, self) {
      requireEncoder(context, self);
      return "utf-8";
    },
  },
  TextDecoder: { construct: (context, _newTarget, args) => newDecoder(context, args) },
  "TextDecoder.prototype.decode": { call: decode },
  "TextDecoder.prototype.encoding": {
    get(context, self) {
      requireDecoder(context, self);
      return "utf-8";
    },
  },
  "TextDecoder.prototype.fatal": { get: (context, self) => requireDecoder(context, self).fatal },
  "TextDecoder.prototype.ignoreBOM": { get: (context, self) => requireDecoder(context, self).ignoreBom },
};

function encodeInto(context: HostContext, self: Value, args: readonly Value[]): VPlain {
  requireEncoder(context, self);
  const [text, target] = args;
  if (typeof text !== "string") throwInvalidType(context, "src", "of type string", text);
  if (!(target instanceof VBytes)) throwInvalidType(context, "dest", "an instance of Uint8Array", target);
  touchBytes(context, target);
  context.charge(10 + Math.min(text.length, target.bytes.length) / 2, 96);
  const { read, written } = writeUtf8(text, target.bytes);
  const result = new VPlain(context.realm.objectPrototype);
  result.write("read", read);
  result.write("written", written);
  return result;
}

function newDecoder(context: HostContext, args: readonly Value[]): VDecoder {
  const [labelArgument, options] = args;
  const label = labelArgument === undefined ? "utf-8" : toText(context, labelArgument);
  if (options !== undefined && options !== null && !(options instanceof VObject)) {
    throwInvalidType(context, "options", "of type object", options);
  }
  context.charge(4 + label.length / 4, 96);
  const kind = labelKind(label);
  if (kind === "other") unsupported(`the encoding '${label}'`);
  if (kind === "unknown") {
    const message = `The "${label}" encoding is not supported`;
    throwNodeError(context, "RangeError", "ERR_ENCODING_NOT_SUPPORTED", message);
  }
  const flag = (name: string): boolean => options instanceof VObject && isTruthy(getProperty(context, options, name));
  return new VDecoder(context.realm.prototype("TextDecoder"), flag("fatal"), flag("ignoreBOM"));
}

/** The state between chunks is what is left of a character, and whether the start has been seen. */
function decode(context: HostContext, self: Value, args: readonly Value[]): string {
  const decoder = requireDecoder(context, self);
  const [input, options] = args;
  if (options !== undefined && options !== null && !(options instanceof VObject)) {
    // An error only after the first chunk of a stream, to Node.
    unsupported("options of TextDecoder.prototype.decode that are no object");
  }
  const isStream = options instanceof VObject && isTruthy(getProperty(context, options, "stream"));
  if (input !== undefined && !(input instanceof VBytes)) {
    const expected = "SharedArrayBuffer, ArrayBuffer or ArrayBufferView";
    const message = `The "list" argument must be an instance of ${expected}.`;
    throwNodeError(context, "TypeError", "ERR_INVALID_ARG_TYPE", message);
  }
  const bytes = input === undefined ? new Uint8Array() : input.bytes;
  context.charge(10 + bytes.length / 2, 16 + bytes.length);
  context.touch(decoder);
  const all = decoder.pending.length === 0 ? bytes : Uint8Array.from([...decoder.pending, ...bytes]);
  const decoded = decodeUtf8(all);
  const isCut = !isStream && decoded.pending.length > 0;
  const isInvalid = decoder.fatal && (isCut || !decoded.valid);
  decoder.pending = isStream && !isInvalid ? decoded.pending : [];
  let text = isCut ? `${decoded.text}\ufffd` : decoded.text;
  if (!isInvalid && text !== "" && !decoder.bomSeen && !decoder.ignoreBom) {
    decoder.bomSeen = true;
    if (text.startsWith("\ufeff")) text = text.slice(1);
  }
  if (!isStream) decoder.bomSeen = false;
  if (isInvalid) {
    const message = "The encoded data was not valid for encoding utf-8";
    throwNodeError(context, "TypeError", "ERR_ENCODING_INVALID_ENCODED_DATA", message);
  }
  return text;
}

function isTruthy(value: Value): boolean {
  return Boolean(value);
}

function requireEncoder(context: HostContext, self: Value): VEncoder {
  return self instanceof VEncoder ? self : throwInvalidThis(context, "TextEncoder");
}

function requireDecoder(context: HostContext, self: Value): VDecoder {
  return self instanceof VDecoder ? self : throwInvalidThis(context, "TextDecoder");
}
