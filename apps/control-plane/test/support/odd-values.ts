import fc from "fast-check";

/** What stands where something else should: odd texts, numbers, things within things. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "\0",
    "\ud800",
    "x".repeat(501),
    "2026-02-30T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ),
  fc.constantFrom<unknown>(
    null,
    true,
    -0,
    1e308,
    2 ** 53,
    [],
    {},
    [[]],
    { $date: 1 },
    { $error: {} },
    { $ref: 0 },
    { $def: [] },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** As a part of an address. */
export function asPart(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return encodeURIComponent(Buffer.from(text).toString());
}
