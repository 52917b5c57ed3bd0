import * as fc from "fast-check";

/** A type as text, with the declarations it needs, values of it, and values that are almost of it. */
export interface TypeSample {
  readonly text: string;
  readonly declarations: readonly string[];
  readonly value: fc.Arbitrary<unknown>;
  /** null: nothing is surely wrong. */
  readonly broken: fc.Arbitrary<unknown> | null;
  /** No containers, so that an array is never a value of it. */
  readonly isScalar: boolean;
}

export const typeSamples: fc.Arbitrary<TypeSample> = fc.letrec<{ type: TypeSample }>((tie) => ({
  type: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...scalars()),
    fc.constantFrom(...instances()),
    fields(tie("type")).map(objectSample),
    fields(tie("type")).map(declaredSample),
    tie("type").map(arraySample),
    fc.tuple(tie("type"), tie("type")).map(tupleSample),
    tie("type").map(recordSample),
    fc.tuple(tie("type"), tie("type")).map(mapSample),
    tie("type").map(setSample),
    fc.tuple(tie("type"), tie("type")).map(unionSample),
  ),
})).type;

function scalar(text: string, value: fc.Arbitrary<unknown>, wrong: readonly unknown[]): TypeSample {
  return { text, declarations: [], value, broken: fc.constantFrom(...wrong), isScalar: true };
}

function scalars(): TypeSample[] {
  return [
    scalar("string", fc.string({ unit: "binary" }), [1, true, null, [], 1n]),
    scalar("number", fc.double(), ["1", null, 1n, {}]),
    scalar("boolean", fc.boolean(), ["true", 0, null]),
    scalar("bigint", fc.bigInt(), [1, "1", null]),
    scalar("null", fc.constant(null), [0, "", {}]),
    scalar('"a" | "b"', fc.constantFrom("a", "b"), ["c", 1, null]),
    scalar("1 | 0 | true | 7n", fc.constantFrom(1, 0, -0, true, 7n), [2, false, 8n, "1"]),
  ];
}

function instances(): TypeSample[] {
  const of = (text: string, value: fc.Arbitrary<unknown>, wrong: readonly unknown[]): TypeSample => ({
    ...scalar(text, value, wrong),
    isScalar: false,
  });
  return [
    of("Date", fc.date({ noInvalidDate: false }), [0, "2026-01-01", new Map(), { $date: 0 }]),
    of("Uint8Array", fc.uint8Array(), ["AQ==", new Date(0)]),
    of(
      "URL",
      fc.webUrl().map((text) => new URL(text)),
      ["https://example.com/"],
    ),
  ];
}

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: TypeSample;
}

function fields(type: fc.Arbitrary<TypeSample>): fc.Arbitrary<Field[]> {
  const name = fc.constantFrom("a", "b", "some key", "$price", "$ref", "7", "constructor");
  const field = fc.record({ name, isOptional: fc.boolean(), type });
  return fc.uniqueArray(field, { minLength: 1, maxLength: 4, selector: (one) => one.name });
}

function objectSample(all: readonly Field[]): TypeSample {
  const members = all.map(
    ({ name, isOptional, type }) => `${JSON.stringify(name)}${isOptional ? "?" : ""}: ${type.text}`,
  );
  const whole = fc.record(Object.fromEntries(all.map(({ name, type }) => [name, type.value])));
  const optional = all.filter(({ isOptional }) => isOptional).map(({ name }) => name);
  const value = fc
    .tuple(whole, fc.subarray(optional), fc.boolean())
    .map(([object, left, isUndefined]) => without(object, left, isUndefined));
  const breaks: fc.Arbitrary<unknown>[] = [value.map((object) => ({ ...object, unexpected: 1 }))];
  for (const { name, isOptional, type } of all) {
    if (!isOptional) breaks.push(value.map((object) => without(object, [name], false)));
    if (type.broken === null) continue;
    breaks.push(fc.tuple(value, type.broken).map(([object, wrong]) => ({ ...object, [name]: wrong })));
  }
  return {
    text: `{ ${members.join("; ")} }`,
    declarations: all.flatMap(({ type }) => type.declarations),
    value,
    broken: fc.oneof(...breaks),
    isScalar: false,
  };
}

function without(object: object, names: readonly string[], isUndefined: boolean): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...object };
  for (const name of names) {
    if (isUndefined) copy[name] = undefined;
    else delete copy[name];
  }
  return copy;
}

/** The same as an interface; the name is made of the text, so that equal ones are declared once. */
function declaredSample(all: readonly Field[]): TypeSample {
  const sample = objectSample(all);
  const name = `T${[...sample.text].reduce((hash, char) => (hash * 31 + char.charCodeAt(0)) >>> 0, 7)}`;
  return { ...sample, text: name, declarations: [...sample.declarations, `interface ${name} ${sample.text}`] };
}

/** With elements that stand in it twice. */
function listOf(type: TypeSample): fc.Arbitrary<unknown[]> {
  return fc
    .tuple(fc.array(type.value, { maxLength: 3 }), fc.boolean())
    .map(([list, isDoubled]) => (isDoubled ? [...list, ...list] : list));
}

function brokenListOf(type: TypeSample): fc.Arbitrary<unknown[]> | null {
  return type.broken === null ? null : fc.tuple(listOf(type), type.broken).map(([list, wrong]) => [...list, wrong]);
}

function arraySample(type: TypeSample): TypeSample {
  const { declarations } = type;
  return { text: `(${type.text})[]`, declarations, value: listOf(type), broken: brokenListOf(type), isScalar: false };
}

function tupleSample([first, second]: readonly [TypeSample, TypeSample]): TypeSample {
  const value = fc.tuple(first.value, second.value);
  return {
    text: `[${first.text}, ${second.text}]`,
    declarations: [...first.declarations, ...second.declarations],
    value,
    broken: fc.oneof(
      value.map(([one]) => [one]),
      value.map((pair) => [...pair, 1]),
    ),
    isScalar: false,
  };
}

function recordSample(type: TypeSample): TypeSample {
  const of = (value: fc.Arbitrary<unknown>, minKeys: number) =>
    fc.dictionary(fc.constantFrom("a", "$b", "$date", ""), value, { minKeys, maxKeys: 3 });
  return {
    text: `Record<string, ${type.text}>`,
    declarations: type.declarations,
    value: of(type.value, 0),
    broken: type.broken === null ? null : of(type.broken, 1),
    isScalar: false,
  };
}

function mapSample([key, item]: readonly [TypeSample, TypeSample]): TypeSample {
  const of = (value: fc.Arbitrary<unknown>) => fc.array(fc.tuple(key.value, value), { minLength: 1, maxLength: 3 });
  return {
    text: `Map<${key.text}, ${item.text}>`,
    declarations: [...key.declarations, ...item.declarations],
    value: of(item.value).map((entries) => new Map(entries)),
    broken: item.broken === null ? null : of(item.broken).map((entries) => new Map(entries)),
    isScalar: false,
  };
}

function setSample(type: TypeSample): TypeSample {
  return {
    text: `Set<${type.text}>`,
    declarations: type.declarations,
    value: listOf(type).map((list) => new Set(list)),
    broken: brokenListOf(type)?.map((list) => new Set(list)) ?? null,
    isScalar: false,
  };
}

function unionSample([first, second]: readonly [TypeSample, TypeSample]): TypeSample {
  return {
    text: `${first.text} | ${second.text}`,
    declarations: [...first.declarations, ...second.declarations],
    value: fc.oneof(first.value, second.value),
    broken: first.isScalar && second.isScalar ? fc.constant(["not a member"]) : null,
    isScalar: first.isScalar && second.isScalar,
  };
}
