import { Decimal } from "decimal.js";
import { putCodec } from "../codec.ts";

// By the library's own mark: constructors made with Decimal.clone() give instances of the same kind.
putCodec({
  name: "decimal.js",
  type: Decimal,
  matches: (value) => Decimal.isDecimal(value),
  // Unlike toString(), valueOf() keeps the sign of zero.
  encode: (value) => (value as Decimal).valueOf(),
  decode: (digits) => new Decimal(digits as string),
});
