import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeNative, encodeNative, MalformedValue } from "./index.ts";
import { anyGraph, CODECS } from "./testing/graphs.ts";

const SEED = 4_711;
const MUTATIONS = 20_000;
const options = { codecs: CODECS };

describe("malformed texts", () => {
  it.each([
    ["", "value"],
    ["[1", "value"],
    ["undefined", "value"],
    ["[1e999]", "value[0]"],
    ['{"a":[{"$x":1}]}', "value.a[0]"],
    ['{"$undefined":false}', "value"],
    ['{"$date":1,"$map":[]}', "value"],
    ['{"$date":1,"a":[]}', "value"],
    ['{"a":1,"\\u0024date":1}', "value"],
    ['{"$number":"1"}', "value"],
    ['{"$number":1}', "value"],
    ['{"$bigint":"01"}', "value"],
    ['{"$bigint":"-0"}', "value"],
    ['{"$bigint":"1n"}', "value"],
    ['{"$bigint":" 1"}', "value"],
    ['{"$bigint":""}', "value"],
    ['{"$bigint":1}', "value"],
    ['{"$date":"2020"}', "value"],
    ['{"$date":1.5}', "value"],
    ['{"$date":8640000000000001}', "value"],
    ['{"$map":{}}', "value"],
    ['{"$map":[[1]]}', "value"],
    ['{"$map":[[1,2,3]]}', "value"],
    ['{"$map":[["k",{"$x":1}]]}', 'value.get("k")'],
    ['{"$map":[[{"$x":1},1]]}', "value.keys()[0]"],
    ['{"$set":{"length":1}}', "value"],
    ['{"$set":[1,{"$x":1}]}', "value.values()[1]"],
    ['{"$bytes":"A"}', "value"],
    ['{"$bytes":"AA="}', "value"],
    ['{"$bytes":"AB=="}', "value"],
    ['{"$bytes":"AAB="}', "value"],
    ['{"$bytes":"===="}', "value"],
    ['{"$bytes":"AA-_"}', "value"],
    ['{"$bytes":"AA\u0141A"}', "value"],
    ['{"$bytes":[1]}', "value"],
    ['{"$url":"nowhere"}', "value"],
    ['{"$url":["http://x"]}', "value"],
    ['{"$params":[["a"]]}', "value"],
    ['{"$params":[["a",1]]}', "value"],
    ['{"$params":"a=1"}', "value"],
    ['{"$error":"x"}', "value"],
    ['{"$error":{}}', "value"],
    ['{"$error":{"names":[]}}', "value"],
    ['{"$error":{"names":["Error",1]}}', "value"],
    ['{"$error":{"names":["Foo"]}}', "value"],
    ['{"$error":{"names":["","Error"]}}', "value"],
    ['{"$error":{"names":["Error"],"message":1}}', "value"],
    ['{"$error":{"names":["Error"],"stack":"x"}}', "value"],
    ['{"$error":{"names":["Error"],"__proto__":{}}}', "value"],
    ['{"$error":{"names":["Error"],"props":[]}}', "value"],
    ['{"$error":{"names":["Error"],"props":{"stack":"x"}}}', "value"],
    ['{"$error":{"names":["Error"],"props":{"x":{"$x":1}}}}', "value.x"],
    ['{"$error":{"names":["Error"],"cause":{"$x":1}}}', "value.cause"],
    ['{"$error":{"names":["Error"],"errors":[{"$x":1}]}}', "value.errors[0]"],
    ['{"$codec":"box"}', "value"],
    ['{"$codec":["box"]}', "value"],
    ['{"$codec":[1,2]}', "value"],
    ['{"$codec":["nobody",2]}', 'value<codec "nobody">'],
    ['{"$def":[0,{"$codec":["box",{"$ref":0}]}]}', 'value<codec "box">'],
    ['{"$def":[0,[{"$codec":["box",[{"$ref":0}]]}]]}', 'value[0]<codec "box">[0]'],
    ['{"$object":[]}', "value"],
    ['{"$object":{"$a":{"$x":1}}}', "value.$a"],
    ['{"$array":[]}', "value"],
    ['{"$array":{"length":1}}', "value"],
    ['{"$array":{"length":4294967296,"items":[]}}', "value"],
    ['{"$array":{"length":-1,"items":[]}}', "value"],
    ['{"$array":{"length":1.5,"items":[]}}', "value"],
    ['{"$array":{"length":2,"items":[[2,1]]}}', "value"],
    ['{"$array":{"length":2,"items":[[1,1],[0,1]]}}', "value"],
    ['{"$array":{"length":2,"items":[[1,1],[1,1]]}}', "value"],
    ['{"$array":{"length":2,"items":[["0",1]]}}', "value"],
    ['{"$array":{"length":2,"items":[[1,{"$x":1}]]}}', "value[1]"],
    ['{"$array":{"length":2,"items":[],"props":{"length":1}}}', "value"],
    ['{"$array":{"length":2,"items":[],"props":{"0":1}}}', "value"],
    ['{"$array":{"length":2,"items":[],"props":{"a":{"$x":1}}}}', "value.a"],
    ['{"$ref":0}', "value"],
    ['[{"$ref":0},{"$def":[0,{}]}]', "value[0]"],
    ['[{"$def":[0,{}]},{"$ref":1}]', "value[1]"],
    ['[{"$def":[0,{}]},{"$ref":"0"}]', "value[1]"],
    ['[{"$def":[0,{}]},{"$ref":-1}]', "value[1]"],
    ['[{"$def":[0,{}]},{"$ref":"length"}]', "value[1]"],
    ['[{"$def":[0,{}]},{"$def":[0,{}]}]', "value[1]"],
    ['[{"$def":[1,{}]}]', "value[0]"],
    ['{"$def":[0]}', "value"],
    ['{"$def":[0,1]}', "value"],
    ['{"$def":[0,{"$undefined":true}]}', "value"],
    ['{"$def":[0,{"$def":[1,{}]}]}', "value"],
    ['[{"$def":[0,{}]},{"$def":[1,{"$ref":0}]}]', "value[1]"],
  ])("%s", (text, path) => {
    expect(pathOf(text)).toBe(path);
  });

  it("bigints of a million digits are read, longer ones refused before any work", () => {
    expect(decodeNative(`{"$bigint":"-1${"0".repeat(999_000)}"}`)).toBeTypeOf("bigint");
    expect(pathOf(`{"$bigint":"1${"0".repeat(20_000_000)}"}`)).toBe("value");
    expect(pathOf(`{"$bigint":"${"9".repeat(1_000_000)}"}`)).toBe("value");
  });
});

describe("hostile texts", () => {
  it("make __proto__ an own property everywhere", () => {
    const texts = [
      '{"__proto__":{"x":1}}',
      '{"$object":{"__proto__":{"x":1},"$":1}}',
      '{"$array":{"length":0,"items":[],"props":{"__proto__":{"x":1}}}}',
      '{"$error":{"names":["Error"],"props":{"__proto__":{"x":1}}}}',
    ];
    for (const text of texts) {
      const value = decodeNative(text) as Record<string, unknown>;
      expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toEqual({ x: 1 });
      expect(value["x"]).toBeUndefined();
      expect(encodeNative(value)).toBe(text);
    }
  });

  it("cannot make memory out of declared lengths", () => {
    const holes = (length: number) => `{"$array":{"length":${length},"items":[[${length - 1},1]]}}`;
    for (const length of [1025, 30_000_000, 2 ** 32 - 1]) {
      const array = decodeNative(holes(length)) as unknown[];
      expect([array.length, array[length - 1], Object.keys(array).length]).toEqual([length, 1, 1]);
      expect(encodeNative(array)).toBe(holes(length));
    }
    expect(Object.keys(decodeNative('{"$array":{"length":4294967295,"items":[]}}') as object)).toEqual([]);
    const before = process.memoryUsage().rss;
    const many = `[${Array.from({ length: 1000 }, () => holes(30_000_000)).join()}]`;
    expect(decodeNative(many)).toHaveLength(1000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  it(`${MUTATIONS} mutations of valid texts, seed ${SEED}: a value whose text is stable, or MalformedValue`, () => {
    const random = randomFrom(SEED);
    const texts = fc.sample(anyGraph, { seed: SEED, numRuns: 400 }).map((graph) => encodeNative(graph, options));
    let values = 0;
    for (let i = 0; i < MUTATIONS; i++) {
      const text = mutate(texts[i % texts.length]!, texts, random);
      const value = decodeOrRefuse(text);
      if (value === MALFORMED) continue;
      values++;
      const again = encodeNative(value, options);
      expect(encodeNative(decodeNative(again, options), options)).toBe(again);
    }
    // Neither all nor none: both would mean that the mutations test nothing.
    expect(values).toBeGreaterThan(MUTATIONS / 20);
    expect(values).toBeLessThan(MUTATIONS * 0.8);
  });

  it("random units are JSON or MalformedValue", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 30 }), (text) => void decodeOrRefuse(text)),
      { seed: SEED, numRuns: 5000 },
    );
  });
});

const MALFORMED = Symbol("malformed");

function decodeOrRefuse(text: string): unknown {
  try {
    return decodeNative(text, options);
  } catch (error) {
    if (!(error instanceof MalformedValue)) throw new Error(`for ${text}`, { cause: error });
    expect(error.path).toMatch(/^value/);
    return MALFORMED;
  }
}

function pathOf(text: string): string {
  try {
    decodeNative(text, options);
  } catch (error) {
    if (error instanceof MalformedValue) return error.path;
    throw error;
  }
  throw new Error("it was decoded");
}

type Random = (below: number) => number;

/** Mulberry32. */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const TAGS = "$date $map $set $error $def $ref $array $object $bytes $codec $url $params".split(" ");
const TOKENS = [
  ...Array.from('{}[]",:0123456789-e.$ \\'),
  ...'null true 4294967295 -1 1e999 "__proto__": {"$ref":0} {"$undefined":true} [] {} names'.split(" "),
  ...TAGS,
];

function mutate(text: string, texts: readonly string[], random: Random): string {
  const at = random(text.length);
  const end = Math.min(text.length, at + 1 + random(8));
  const token = TOKENS[random(TOKENS.length)]!;
  switch (random(6)) {
    case 0:
      return text.slice(0, at) + text.slice(end);
    case 1:
      return text.slice(0, at) + token + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at, end) + text.slice(at);
    case 3:
      return text.replace(/"\$[a-z]+(?=":)/g, (tag) => (random(4) === 0 ? `"${TAGS[random(TAGS.length)]!}` : tag));
    case 4:
      return text.replace(/\d+/g, (digits) => (random(6) === 0 ? String(random(5)) : digits));
    default:
      return graft(text, texts[random(texts.length)]!, random);
  }
}

/** Puts a subtree of one text in the place of a subtree of another. */
function graft(text: string, other: string, random: Random): string {
  const tree = [JSON.parse(text)] as unknown[];
  const [places, donors] = [placesIn(tree), placesIn([JSON.parse(other)])];
  const [target, targetKey] = places[random(places.length)]!;
  const [source, sourceKey] = donors[random(donors.length)]!;
  Object.defineProperty(target, targetKey, { value: source[sourceKey], enumerable: true });
  return JSON.stringify(tree[0]);
}

type Place = [holder: Record<string, unknown>, key: string];

function placesIn(root: unknown[]): Place[] {
  const places: Place[] = [];
  const holders: unknown[] = [root];
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    for (const key of Object.keys(holder as object)) {
      places.push([holder as Record<string, unknown>, key]);
      const child = (holder as Record<string, unknown>)[key];
      if (typeof child === "object" && child !== null) holders.push(child);
    }
  }
  return places;
}
