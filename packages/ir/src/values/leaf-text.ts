import { base64Of } from "./base64.ts";
import { quote } from "./primitive-text.ts";
import type { ValueKind, ValueReader } from "./reader.ts";

/** The whole text of an object that holds no other. */
export function leafText<V>(
  value: V,
  kind: Extract<ValueKind, "date" | "bytes" | "url" | "params">,
  reader: ValueReader<V>,
): string {
  switch (kind) {
    case "date": {
      const time = reader.time(value);
      return `{"$date":${Number.isNaN(time) ? "null" : time}}`;
    }
    case "bytes":
      return `{"$bytes":"${base64Of(reader.bytes(value))}"}`;
    case "url":
      return `{"$url":${quote(reader.href(value))}}`;
    case "params": {
      const pairs = reader.params(value).map(([name, text]) => `[${quote(name)},${quote(text)}]`);
      return `{"$params":[${pairs.join(",")}]}`;
    }
  }
}
