import type { Builtin, Parameter } from "@cairnjs/ir";
import type { Random } from "../run/random.ts";
import { callbacksFor, notFunctions } from "./callbacks.ts";
import * as pools from "./pools.ts";
import { randomNumber, randomString } from "./random-values.ts";

/** A source text for an argument: mostly of the declared type, now and then a wrong one. */
export function argumentFor(builtin: Builtin, parameter: Parameter, random: Random): string {
  const special = specialPool(builtin.path, parameter.name);
  if (special !== null) return random.pick(special);
  if (random.chance(0.25)) {
    if (parameter.type === "number") return randomNumber(random);
    if (parameter.type === "string") return randomString(random);
  }
  const [right, wrong] = typePools(parameter.type, builtin.path);
  return random.pick(random.chance(0.85) ? right : wrong);
}

type Pool = readonly string[];

function typePools(type: string, path: string): readonly [right: Pool, wrong: Pool] {
  if (type.startsWith("fn(")) return [callbacksFor(type, path), notFunctions];
  switch (type) {
    case "integer":
      return [pools.integers, pools.almostNumbers];
    case "number":
      return [pools.numbers, pools.almostNumbers];
    case "string":
      return [pools.strings, pools.almostStrings];
    case "key":
      return [pools.keys, pools.almostStrings];
    case "bigint":
      return [pools.bigints, pools.almostNumbers];
    case "array":
      return [pools.arrays, pools.arrayLikes];
    case "iterable":
      return [pools.iterables, pools.notIterable];
    case "object":
      return [pools.objects, pools.anything];
    case "bytes":
      return [pools.byteArrays, pools.anything];
    default:
      return [pools.anything, pools.anything];
  }
}

/** Where the declared type alone would hardly ever give a meaningful call. The first match counts. */
const SPECIAL: readonly (readonly [path: RegExp, parameter: RegExp, pool: Pool])[] = [
  [/^String\.prototype\.(?:repeat|pad\w+)$/, /^(?:count|length)$/, pools.sizes],
  [
    /^(?:Array|Uint8Array)$/,
    /^(?:items|source)$/,
    [...pools.sizes.filter((size) => size !== "-1"), "-1", '"x"', "[4, 5]", "new Set([1])", "new Uint8Array([9])"],
  ],
  [/^Uint8Array$/, /./, ["undefined"]],
  [
    /^BigInt$/,
    /./,
    ["1", "1.5", '"12"', '"0x1f"', '" -7 "', '"x"', "true", "2 ** 60", "NaN", "10n", "null", "undefined", "[3]"],
  ],
  [/^BigInt\.as/, /^bits$/, ["0", "1", "8", "64", "65", "-1", '"3"', "2 ** 53"]],
  [/\.prototype\.toString$/, /^radix$/, ["2", "10", "16", "36", "undefined", "1", "37", '"8"']],
  [
    /\.prototype\.to(?:Fixed|Exponential|Precision)$/,
    /^digits$/,
    ["0", "1", "2", "10", "20", "100", "101", "-1", "undefined", '"3"', "NaN"],
  ],
  [/^Date\.parse$/, /./, pools.dateTexts],
  [
    /^Date$/,
    /./,
    [
      ...pools.dateTexts,
      "0",
      "1e12",
      "2024",
      "1",
      "11",
      "31",
      "NaN",
      "new Date(7)",
      "undefined",
      "null",
      "true",
      "10n",
    ],
  ],
  [
    /^Date\.(?:UTC|prototype\.set)/,
    /./,
    [
      "0",
      "1",
      "-1",
      "12",
      "31",
      "99",
      "2024",
      "1969.9",
      "NaN",
      '"5"',
      "undefined",
      "1e9",
      "Infinity",
      "({ valueOf() { return 3; } })",
    ],
  ],
  [/^Date\.prototype\.toJSON$/, /./, ["''", "undefined"]],
  [
    /^String\.prototype\.(?:replace|replaceAll|match|matchAll|search|split)$/,
    /^(?:pattern|separator)$/,
    [...pools.regexps, ...pools.regexps, '"a"', '""', '"o"', "undefined", "null", "5", "[1]", '","'],
  ],
  [/./, /^replacement$/, pools.replacements],
  [/^String\.prototype\.(?:endsWith|startsWith|includes)$/, /^search$/, [...pools.strings, "/x/", "undefined", "5"]],
  [/^String\.prototype\.normalize$/, /./, ['"NFC"', '"NFD"', '"NFKC"', '"NFKD"', '"nfc"', "undefined"]],
  [
    /^String\.raw$/,
    /^strings$/,
    [
      '({ raw: ["a", "b", "c"] })',
      '({ raw: "xyz" })',
      "({ raw: [] })",
      "({})",
      '({ raw: { length: 2, 0: "p", 1: 5 } })',
    ],
  ],
  [
    /^RegExp$/,
    /^pattern$/,
    [...pools.regexps, '"a+"', '"("', '"[a-z]"', "undefined", '""', '"/"', "null", '"\\\\d{2}"', '"(?<n>.)"'],
  ],
  [/^RegExp$/, /^flags$/, ["undefined", '"g"', '"gi"', '"u"', '"v"', '"gg"', '"x"', '""', '"dgimsy"']],
  [/^Object\.defineProperty$/, /^object$/, ["({ a: 1 })", "[1, 2]", "({})", "Object.freeze({ a: 1 })", "5", "() => 1"]],
  [
    /./,
    /^descriptor$/,
    [
      "({ value: 1 })",
      "({ value: 2, writable: true, enumerable: true, configurable: true })",
      "({})",
      "({ enumerable: true })",
      "5",
      "({ value: 3, writable: false, enumerable: true })",
    ],
  ],
  [/^Object\.create$/, /^prototype$/, ["null"]],
  [
    /./,
    /^properties$/,
    [
      "({ a: { value: 1, enumerable: true } })",
      "({ x: { value: 1 }, y: { value: [2], writable: true, enumerable: true } })",
      "({})",
      "undefined",
      "({ a: 5 })",
    ],
  ],
  [/^Object\.fromEntries$/, /^entries$/, [...pools.pairs, "[5]", "5"]],
  [/^Map$/, /^entries$/, [...pools.pairs, "undefined", "null", "[5]", "5", '"ab"']],
  [/^Set$/, /^values$/, [...pools.iterables, "undefined", "null", "5"]],
  [/^Object\.(?!is$)/, /^(?:object|target|sources|value)$/, [...pools.objects, "null", "undefined"]],
  [/^URL$|^URL\.canParse$/, /^url$/, [...pools.urls, ...pools.badUrls, '"../rel?x"', '"//host/p"', '"?q"']],
  [/^URL$|^URL\.canParse$/, /^base$/, ["undefined", '"https://base.example/dir/file?x#y"', '"mailto:x"', '"nope"']],
  [/^URLSearchParams$/, /^init$/, pools.paramsInits],
  [/^URLSearchParams\.prototype/, /^(?:name|value)$/, ['"a"', '"b"', '"z"', '"é &="', '""', "5", "undefined", "null"]],
  [/^TextDecoder$/, /^label$/, ["undefined", '"utf-8"', '"UTF8"', '" utf-8 "', '"nope"']],
  [/^TextDecoder$/, /^options$/, ["undefined", "({ fatal: true })", "({ ignoreBOM: true })", "({})"]],
  [
    /^TextDecoder\.prototype\.decode$/,
    /^bytes$/,
    [
      "new Uint8Array([104, 105])",
      "new Uint8Array([239, 187, 191, 65])",
      "new Uint8Array([255, 65, 226, 130])",
      "new Uint8Array([240, 159, 152, 128])",
      "undefined",
    ],
  ],
  [/^TextDecoder\.prototype\.decode$/, /^options$/, ["undefined", "({})", "({ stream: false })"]],
  [/^TextEncoder\.prototype\.encodeInto$/, /^text$/, pools.strings],
  [/^JSON\.parse$/, /^text$/, pools.jsonTexts],
  [/^JSON\.stringify$/, /^value$/, [...pools.jsonValues, ...pools.objects, ...pools.arrays]],
  [
    /^JSON\.stringify$/,
    /^replacer$/,
    [
      "undefined",
      "undefined",
      "null",
      '["a", "b", 1]',
      "(key, value) => (typeof value === 'number' ? value + 1 : value)",
      "(key, value) => (key === 'a' ? undefined : value)",
      "[]",
    ],
  ],
  [/^JSON\.stringify$/, /^space$/, ["undefined", "undefined", "2", '"--"', "20", "1.9", '"abcdefghijklmnop"', "-1"]],
  [
    /^structuredClone$/,
    /^value$/,
    [
      ...pools.objects,
      ...pools.arrays,
      ...pools.errors,
      ...pools.maps,
      ...pools.sets,
      "10n",
      "undefined",
      "(() => { const o = { a: 1 }; return [o, o, { o }]; })()",
    ],
  ],
  [/^structuredClone$/, /^options$/, ["undefined"]],
  [/^atob$/, /./, ['"aGk="', '"aGk"', '" aGV sbG8= "', '""', '"*"', '"a"', '"/+8="']],
  [/^btoa$/, /./, ['"hi"', '""', '"\\u00ff\\u0000"', '"ä"', '"😀"', "5"]],
  [/^decodeURI/, /./, ['"%E4%BD%A0"', '"%zz"', '"a%20b%2Fc"', '"%F0%9F%98%80"', '"%C0%80"', '"%"', '"plain"']],
  [/^encodeURI/, /./, [...pools.strings, '"https://e.x/ä b?c=d&e#f"']],
  [
    /^parse(?:Int|Float)$/,
    /^text$/,
    [
      ...pools.strings,
      '"42px"',
      '"0x1F"',
      '"-12.5e3x"',
      '" \\n7"',
      '"Infinity"',
      '"1e1000"',
      '".5"',
      '"_1"',
      "null",
      "10n",
    ],
  ],
  [/^parseInt$/, /^radix$/, ["undefined", "0", "2", "16", "36", "37", "1", '"8"']],
  [
    /^Array\.from$|^TypedArray\.from$/,
    /^items$/,
    [...pools.iterables, ...pools.arrayLikes, "null", "undefined", "5", "new Map([[1, 2]])"],
  ],
  [/./, /^thisArg$/, ["undefined", "null", "({ t: 1 })", "5"]],
  [
    /Error$/,
    /^options$/,
    ["undefined", "({ cause: 1 })", "({ cause: new Error('§cause') })", "({})", "5", "({ cause: undefined })"],
  ],
  [/Error$/, /^message$/, ['"§message"', "undefined", '""', "5", '({ toString() { return "§object"; } })']],
  [/^AggregateError$/, /^errors$/, ["[]", "[1, new Error('§one')]", "new Set(['x'])", "5"]],
  [/^Promise\.(?:all|any|race)/, /./, [...pools.promiseLists, "5"]],
  [
    /^Promise\.(?:resolve|reject)$/,
    /./,
    [...pools.anything.filter((text) => !/=>|\/r\//.test(text)), "Promise.resolve(3)", "({ then(f) { f(9); } })"],
  ],
  [/^Function\.prototype\.apply$/, /^args$/, ["[]", "[1, 2, 3]", "({ length: 2, 0: 'p' })", "undefined", "null", "5"]],
  [
    /^TypedArray\.prototype\.set$/,
    /^source$/,
    ["[1, 2]", "new Uint8Array([9])", "[300, -1, '5']", "({ length: 1, 0: 4 })", "5", "null"],
  ],
  [/^TypedArray\.prototype\.set$/, /^offset$/, ["undefined", "0", "1", "-1", "10"]],
  [/^Array\.prototype\.concat$/, /^items$/, ["1", "[2, 3]", "[[4]]", '"x"', "[, 5]", "({ length: 1, 0: 6 })", "null"]],
  [/^Array\.prototype\.flat$/, /^depth$/, ["undefined", "0", "1", "2", "Infinity", '"1"', "NaN", "-1"]],
  [/^Map\.prototype/, /^key$/, ["1", '"two"', "NaN", "undefined", "-0", "({})"]],
  [/^Object$/, /^value$/, ["undefined", "null", "({ a: 1 })", "[1]", "() => 1"]],
  [/^console\.dir$|^console\.table$/, /^(?:options|columns)$/, ["undefined"]],
  [/^crypto\.randomUUID$/, /./, ["undefined"]],
];

function specialPool(path: string, parameter: string): Pool | null {
  return SPECIAL.find(([paths, parameters]) => paths.test(path) && parameters.test(parameter))?.[2] ?? null;
}
