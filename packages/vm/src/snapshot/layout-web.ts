import { VDecoder, VEncoder, VUrl, VUrlParams } from "../heap/data.ts";
import { Kind } from "../heap/value.ts";
import { readProperties, writeProperties } from "./layout-properties.ts";
import type { HeapObject, Layout } from "./layout.ts";
import { invalid } from "./reader.ts";

/** Layouts of URLs and of encoders of text. */

const url: Layout<VUrl> = {
  shell() {},
  make: (from) => new VUrl(from.image.realm.prototype("URL"), ""),
  body(object, out) {
    writeProperties(object, out);
    out.key(object.href);
    out.value(object.params);
  },
  fill(object, from) {
    readProperties(object, from);
    object.href = from.key();
    object.params = from.optional(VUrlParams);
  },
};

const urlParams: Layout<VUrlParams> = {
  shell() {},
  make: (from) => new VUrlParams(from.image.realm.prototype("URLSearchParams"), [], null),
  body(object, out) {
    writeProperties(object, out);
    out.value(object.url);
    out.uint(object.pairs.length);
    for (const [name, value] of object.pairs) {
      out.key(name);
      out.key(value);
    }
  },
  fill(object, from) {
    readProperties(object, from);
    object.url = from.optional(VUrl);
    object.pairs = Array.from({ length: from.count() }, () => {
      const name = from.key();
      return [name, from.key()];
    });
  },
};

const encoder: Layout<VEncoder> = {
  shell() {},
  make: (from) => new VEncoder(from.image.realm.prototype("TextEncoder")),
  body: writeProperties,
  fill: readProperties,
};

const decoder: Layout<VDecoder> = {
  shell(object, out) {
    out.byte((object.fatal ? 1 : 0) | (object.ignoreBom ? 2 : 0));
  },
  make(from) {
    const flags = from.byte();
    return new VDecoder(from.image.realm.prototype("TextDecoder"), (flags & 1) !== 0, (flags & 2) !== 0);
  },
  body(object, out) {
    writeProperties(object, out);
    out.byte(object.bomSeen ? 1 : 0);
    out.bytes(Uint8Array.from(object.pending));
  },
  fill(object, from) {
    readProperties(object, from);
    object.bomSeen = from.boolean();
    object.pending = [...from.bytes()];
    if (object.pending.length > 3) invalid("more pending bytes than a character has");
  },
};

export const webLayouts: Readonly<Record<number, Layout<HeapObject> | undefined>> = {
  [Kind.Url]: url,
  [Kind.UrlParams]: urlParams,
  [Kind.Encoder]: encoder,
  [Kind.Decoder]: decoder,
};
