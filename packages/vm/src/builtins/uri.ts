import { throwError } from "../machine/host.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { toText } from "./string-conversion.ts";

export const uriBuiltins: HostTable = {
  decodeURI: coding(decodeURI, (text) => text.length),
  decodeURIComponent: coding(decodeURIComponent, (text) => text.length),
  encodeURI: coding(encodeURI, encodedLengthMax),
  encodeURIComponent: coding(encodeURIComponent, encodedLengthMax),
};

function coding(convert: (text: string) => string, lengthMax: (text: string) => number): HostEntry {
  return {
    call(context, _self, args) {
      const text = toText(context, args[0]);
      context.charge(1 + text.length / 2, lengthMax(text));
      try {
        return convert(text);
      } catch {
        return throwError(context, "URIError", "URI malformed");
      }
    },
  };
}

/** A unit beyond ASCII becomes up to three escapes of three characters. */
function encodedLengthMax(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    length += unit >= 0x80 ? 9 : isAlphanumeric(unit) ? 1 : 3;
  }
  return length;
}

function isAlphanumeric(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39);
}
