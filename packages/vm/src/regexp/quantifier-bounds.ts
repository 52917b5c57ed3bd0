import { code, isDigit, type PatternReader } from "./pattern-reader.ts";
import { UNLIMITED } from "./syntax-tree.ts";

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** `*`, `+`, `?` or `{…}` at the reader; undefined, with nothing read, if there is none. */
export function readQuantifier(reader: PatternReader): Bounds | undefined {
  switch (reader.current) {
    case code("*"):
      reader.advance();
      return { min: 0, max: UNLIMITED };
    case code("+"):
      reader.advance();
      return { min: 1, max: UNLIMITED };
    case code("?"):
      reader.advance();
      return { min: 0, max: 1 };
    case code("{"):
      return readBraced(reader);
    default:
      return undefined;
  }
}

function readBraced(reader: PatternReader): Bounds | undefined {
  const bounds = readInterval(reader);
  if (bounds === undefined && reader.isUnicodeMode) reader.fail("Incomplete quantifier");
  if (bounds !== undefined && bounds.max < bounds.min) reader.fail("numbers out of order in {} quantifier");
  return bounds;
}

/** {2} {2,} {2,3}; anything else is not a quantifier, and is left to be read as characters. */
export function readInterval(reader: PatternReader): Bounds | undefined {
  const start = reader.position;
  reader.advance();
  const min = readNumber(reader);
  let max = min;
  if (min !== undefined && reader.current === code(",")) {
    reader.advance();
    max = reader.current === code("}") ? UNLIMITED : (readNumber(reader) ?? 0);
  }
  if (min === undefined || max === undefined || reader.current !== code("}")) {
    reader.reset(start);
    return undefined;
  }
  reader.advance();
  return { min, max };
}

/** Numbers beyond V8's infinity are infinity. */
function readNumber(reader: PatternReader): number | undefined {
  if (!isDigit(reader.current)) return undefined;
  let value = 0;
  while (isDigit(reader.current)) {
    value = Math.min(value * 10 + reader.current - code("0"), UNLIMITED);
    reader.advance();
  }
  return value;
}
