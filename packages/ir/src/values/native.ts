import type { Codec } from "./codec.ts";
import { decodeValue } from "./decode.ts";
import type { DecodeLimits } from "./decode.ts";
import { encodeValue } from "./encode.ts";
import { nativeBuilder } from "./native-builder.ts";
import type { NativeErrorClasses } from "./native-error-names.ts";
import { nativeReader } from "./native-reader.ts";

export interface NativeOptions {
  readonly codecs?: readonly Codec[];
  readonly errorClasses?: NativeErrorClasses;
}

// What most calls need, made once; both are immutable.
const PLAIN_READER = nativeReader();
const PLAIN_BUILDER = nativeBuilder();

/** Encodes a host value; who encodes many with codecs keeps a `nativeReader` instead. */
export function encodeNative(value: unknown, options?: NativeOptions & { readonly root?: string }): string {
  const reader = hasNone(options) ? PLAIN_READER : nativeReader(options?.codecs, options?.errorClasses);
  return encodeValue(value, reader, options?.root);
}

/** Decodes to a host value; who decodes many with codecs keeps a `nativeBuilder` instead. */
export function decodeNative(text: string, options?: NativeOptions & { readonly limits?: DecodeLimits }): unknown {
  const builder = hasNone(options) ? PLAIN_BUILDER : nativeBuilder(options?.codecs, options?.errorClasses);
  return decodeValue(text, builder, options?.limits);
}

function hasNone(options: NativeOptions | undefined): boolean {
  return options?.codecs === undefined && options?.errorClasses === undefined;
}
