import { type } from "arktype";
import * as fc from "fast-check";
import { z } from "zod";

/** A schema of some library, with values that it probably takes. */
export interface LibrarySample<S> {
  readonly schema: S;
  readonly value: fc.Arbitrary<unknown>;
}

const names = fc.constantFrom(
  "a",
  "b",
  "c",
  "length",
  "map",
  "size",
  "toString",
  "$price",
  "0",
  "message",
  "with-dash",
);

/** Storable values of every kind, and some that libraries and encodings stumble over. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.bigInt(), fc.constantFrom(0, -0, null, undefined, "", "5")),
    fc.oneof(fc.date(), fc.uint8Array(), fc.constantFrom(new URL("a:b"), new Error("no"))),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => Object.assign([], { 1: items, name: "x" })),
    fc.dictionary(names, tie("value"), { maxKeys: 3 }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 2 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 2 }).map((members) => new Set(members)),
  ),
})).value;

type Schema = z.ZodType;
type ZodSample = LibrarySample<Schema>;

const zodLeaves: readonly ZodSample[] = [
  { schema: z.string(), value: fc.string() },
  { schema: z.email(), value: fc.constant("ada@example.com") },
  { schema: z.string().trim().min(2).toUpperCase(), value: fc.string() },
  { schema: z.number(), value: fc.double() },
  { schema: z.int().min(-5), value: fc.oneof(fc.integer(), fc.constant(-0)) },
  { schema: z.boolean(), value: fc.boolean() },
  { schema: z.null(), value: fc.constant(null) },
  { schema: z.undefined(), value: fc.constant(undefined) },
  { schema: z.bigint(), value: fc.bigInt() },
  { schema: z.date(), value: fc.date() },
  { schema: z.date().min(new Date(0)), value: fc.date() },
  { schema: z.set(z.string()), value: fc.array(fc.string()).map((members) => new Set(members)) },
  {
    schema: z.map(z.string(), z.any()),
    value: fc.dictionary(names, fc.integer()).map((o) => new Map(Object.entries(o))),
  },
  { schema: z.nan(), value: fc.constant(Number.NaN) },
  { schema: z.any(), value: anyValue },
  { schema: z.unknown(), value: anyValue },
  { schema: z.never(), value: anyValue },
  { schema: z.coerce.number(), value: anyValue },
  { schema: z.coerce.string(), value: anyValue },
  { schema: z.coerce.boolean(), value: anyValue },
  { schema: z.coerce.date(), value: anyValue },
  { schema: z.stringbool(), value: fc.constantFrom("yes", "no") },
  { schema: z.literal("a"), value: fc.constant("a") },
  { schema: z.literal([0, "a", null]), value: fc.constantFrom(0, -0, "a", null) },
  { schema: z.literal([5n, 1]), value: fc.constantFrom(5n, 1) },
  { schema: z.literal(["a", undefined]), value: fc.constantFrom("a", undefined) },
  { schema: z.enum(["s", "m"]), value: fc.constantFrom("s", "m") },
  { schema: z.enum({ A: 0, B: 1 }), value: fc.constantFrom(0, 1, -0) },
  { schema: z.templateLiteral(["a", z.number()]), value: fc.constant("a5") },
  { schema: z.preprocess(String, z.string()), value: anyValue },
  { schema: z.transform((given) => given), value: anyValue },
  { schema: z.custom(() => true), value: anyValue },
  { schema: z.instanceof(URL), value: fc.constant(new URL("a:b")) },
  { schema: z.object({}), value: anyValue },
  { schema: z.string().meta({ type: "number", id: "odd" }), value: fc.string() },
  { schema: z.codec(z.string(), z.date(), { decode: (text) => new Date(text), encode: String }), value: fc.string() },
  { schema: z.json(), value: fc.jsonValue() },
];

/** Schemas of Zod around others. */
function zodAround(inner: fc.Arbitrary<ZodSample>): fc.Arbitrary<ZodSample> {
  return fc.oneof(
    inner.chain(({ schema, value }) => fc.constantFrom(...zodWrapped(schema, value))),
    fc.tuple(names, inner, names, inner, fc.nat(5)).map(([a, first, b, second, how]) => {
      const shape = { [a]: first.schema, [b]: second.schema };
      const full = fc.record({ [a]: first.value, [b]: second.value }, { requiredKeys: [] });
      return { schema: zodObject(shape, how), value: fc.oneof(full, anyValue) };
    }),
    fc.tuple(inner, inner, fc.nat(3)).map(([one, other, how]) => zodPair(one, other, how)),
  );
}

function zodWrapped(schema: Schema, value: fc.Arbitrary<unknown>): ZodSample[] {
  const absent = fc.oneof(value, fc.constantFrom(null, undefined));
  return [
    { schema: schema.optional(), value: absent },
    { schema: schema.nullable(), value: absent },
    { schema: schema.nullish().describe("perhaps"), value: absent },
    { schema: schema.optional().nonoptional(), value: absent },
    { schema: schema.default("x" as never), value: absent },
    { schema: schema.prefault("x" as never), value: absent },
    { schema: schema.catch("x" as never), value: anyValue },
    { schema: schema.readonly(), value },
    { schema: schema.transform(() => 1), value },
    { schema: schema.pipe(z.any()), value },
    { schema: schema.refine(() => true), value },
    { schema: z.lazy(() => schema), value },
    { schema: z.array(schema), value: fc.array(value, { maxLength: 3 }) },
    { schema: z.array(schema).min(1), value: fc.array(value, { maxLength: 3 }) },
    { schema: z.tuple([schema, schema]), value: fc.array(value, { maxLength: 3 }) },
    { schema: z.tuple([z.string(), schema], schema), value: fc.array(fc.oneof(fc.string(), value), { maxLength: 3 }) },
    { schema: z.record(z.string(), schema), value: fc.dictionary(names, value, { maxKeys: 3 }) },
    { schema: z.partialRecord(z.enum(["a", "b"]), schema), value: fc.dictionary(names, value, { maxKeys: 2 }) },
    { schema: z.looseRecord(z.string().max(1), schema), value: fc.dictionary(names, value, { maxKeys: 3 }) },
    { schema: z.map(z.string(), schema), value: fc.array(fc.tuple(fc.string(), value)).map((each) => new Map(each)) },
    { schema: z.set(schema), value: fc.array(value, { maxLength: 2 }).map((each) => new Set(each)) },
  ];
}

function zodObject(shape: Record<string, Schema>, how: number): Schema {
  const made = [
    () => z.object(shape),
    () => z.strictObject(shape),
    () => z.looseObject(shape),
    () => z.object(shape).catchall(z.number()),
    () => z.object(shape).partial(),
    () => z.object({ ...shape, next: z.lazy(() => z.object(shape).optional()) }),
  ];
  return made[how]!();
}

function zodPair(one: ZodSample, other: ZodSample, how: number): ZodSample {
  const either = fc.oneof(one.value, other.value);
  const a = z.object({ kind: z.literal("a"), x: one.schema });
  const b = z.strictObject({ kind: z.literal("b"), y: other.schema });
  const both = fc.record({ kind: fc.constantFrom("a", "b"), x: one.value, y: other.value }, { requiredKeys: ["kind"] });
  const made: ZodSample[] = [
    { schema: z.union([one.schema, other.schema]), value: either },
    { schema: z.discriminatedUnion("kind", [a, b]), value: both },
    { schema: z.intersection(one.schema, other.schema), value: either },
    { schema: z.strictObject({ x: one.schema }).and(z.strictObject({ y: other.schema })), value: both },
  ];
  return made[how]!;
}

export const zodSamples: fc.Arbitrary<ZodSample> = fc.letrec<{ sample: ZodSample }>((tie) => ({
  sample: fc.oneof({ maxDepth: 3 }, fc.constantFrom(...zodLeaves), zodAround(tie("sample"))),
})).sample;

type ArkSample = LibrarySample<type>;

const arkLeaves: readonly (readonly [definition: string, value: fc.Arbitrary<unknown>])[] = [
  ["string", fc.string()],
  ["string.email", fc.constant("ada@example.com")],
  ["string.numeric.parse", fc.constantFrom("5", "x")],
  ["string.trim", fc.string()],
  ["number", fc.double()],
  ["number.integer > -5", fc.oneof(fc.integer(), fc.constant(-0))],
  ["0 | -1", fc.constantFrom(0, -0, -1)],
  ["boolean", fc.boolean()],
  ["true", fc.constant(true)],
  ["null", fc.constant(null)],
  ["undefined", fc.constant(undefined)],
  ["bigint", fc.bigInt()],
  ["5n | 'a'", fc.constantFrom(5n, "a")],
  ["Date", fc.date()],
  ["unknown", anyValue],
  ["object", anyValue],
  ["'s' | 'm'", fc.constantFrom("s", "m")],
  ["Record<string, number>", fc.dictionary(names, fc.double(), { maxKeys: 2 })],
  ["string | undefined", fc.constantFrom("a", undefined)],
  ["(string | number)[]", fc.array(fc.oneof(fc.string(), fc.double()), { maxLength: 3 })],
  ["string[] > 1", fc.array(fc.string(), { maxLength: 3 })],
  ["Map", fc.constant(new Map())],
];

const arkLeaf: fc.Arbitrary<ArkSample> = fc
  .constantFrom(...arkLeaves)
  .map(([definition, value]) => ({ schema: type(definition as "unknown"), value }));

function arkAround(inner: fc.Arbitrary<ArkSample>): fc.Arbitrary<ArkSample> {
  return fc.tuple(inner, inner, names, fc.nat(8)).map(([one, other, key, how]) => {
    const values = fc.array(fc.oneof(one.value, other.value), { maxLength: 3 });
    const table = fc.record({ [key]: one.value, other: other.value }, { requiredKeys: [] });
    const objects = fc.oneof(table, anyValue);
    const made: (() => ArkSample)[] = [
      () => ({ schema: one.schema.array() as unknown as type, value: values }),
      () => ({ schema: type([one.schema, other.schema]) as unknown as type, value: values }),
      () => ({ schema: type([one.schema, "...", other.schema.array()]) as unknown as type, value: values }),
      () => ({ schema: type([one.schema, [other.schema, "?"]] as never) as unknown as type, value: values }),
      () => ({ schema: type({ [key]: one.schema, other: other.schema } as never) as type, value: objects }),
      () => ({ schema: type({ [`${key}?`]: one.schema, "+": "reject" } as never) as type, value: objects }),
      () => ({ schema: type({ [key]: one.schema, "+": "delete" } as never) as type, value: objects }),
      () => ({ schema: type({ [key]: one.schema, "[string]": "unknown" } as never) as type, value: objects }),
      () => ({ schema: one.schema.or(other.schema) as unknown as type, value: fc.oneof(one.value, other.value) }),
    ];
    try {
      return made[how]!();
    } catch (error) {
      // Unions of conversions that overlap, and types that nothing is of, are refused by ArkType.
      if (!(error instanceof Error) || !["ParseError", "TraversalError"].includes(error.name)) throw error;
      return one;
    }
  });
}

export const arkSamples: fc.Arbitrary<ArkSample> = fc.letrec<{ sample: ArkSample }>((tie) => ({
  sample: fc.oneof({ maxDepth: 2 }, arkLeaf, arkAround(tie("sample"))),
})).sample;
