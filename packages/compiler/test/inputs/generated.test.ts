import * as fc from "fast-check";
import { expect, test } from "vitest";
import { schemaOf } from "./schema-of.ts";
import { typeSamples } from "./type-samples.ts";

const RUNS = 60;
const VALUES = 8;

test("schemas of random types accept all their values, shared or not, and refuse broken ones", () => {
  const types = typeSamples.chain((type) =>
    fc.record({
      text: fc.constant(type.text),
      declarations: fc.constant([...new Set(type.declarations)].join("\n")),
      good: fc.array(type.value, { minLength: 1, maxLength: VALUES }),
      bad: type.broken === null ? fc.constant([]) : fc.array(type.broken, { minLength: 1, maxLength: VALUES }),
    }),
  );
  fc.assert(
    fc.property(types, ({ text, declarations, good, bad }) => {
      const derived = schemaOf(text, declarations);
      const pair = schemaOf(`{ x: ${text}; y: ${text} }`, declarations);
      expect(good.filter((value) => derived?.accepts(value) !== true)).toEqual([]);
      expect(good.filter((value) => pair?.accepts({ x: value, y: value }) !== true)).toEqual([]);
      expect(bad.filter((value) => derived?.accepts(value) !== false)).toEqual([]);
      expect(bad.filter((value) => pair?.accepts({ x: value, y: value }) !== false)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 60_000);
