import type { HostTable } from "./host-table.ts";
import { toNumber } from "./number-conversion.ts";
import { chargeScan, toText } from "./string-conversion.ts";

/** Functions and constants of the global object that belong to no family. */
export const globalBuiltins: HostTable = {
  Infinity: { value: Infinity },
  NaN: { value: NaN },
  isFinite: { call: (context, _self, [value]) => Number.isFinite(toNumber(context, value)) },
  isNaN: { call: (context, _self, [value]) => Number.isNaN(toNumber(context, value)) },
  parseFloat: {
    call(context, _self, args) {
      const text = toText(context, args[0]);
      chargeScan(context, text.length);
      return parseFloat(text);
    },
  },
  parseInt: {
    call(context, _self, args) {
      const text = toText(context, args[0]);
      const radix = toNumber(context, args[1]);
      chargeScan(context, text.length);
      return parseInt(text, radix);
    },
  },
};
