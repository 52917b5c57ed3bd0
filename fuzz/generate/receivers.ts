import type { Random } from "../run/random.ts";
import * as pools from "./pools.ts";
import { randomArray, randomNumber, randomString } from "./random-values.ts";

interface Receivers {
  /** Values that the method belongs to. */
  readonly own: readonly string[];
  /** Others that it works on, or refuses with an error, through `call`. */
  readonly foreign: readonly string[];
}

const NOTHING = ["null", "undefined"];

const RECEIVERS: Readonly<Record<string, Receivers>> = {
  "Array.prototype": { own: pools.arrays, foreign: [...pools.arrayLikes, ...NOTHING] },
  "String.prototype": { own: pools.strings, foreign: [...pools.almostStrings, "12.5"] },
  "Number.prototype": { own: pools.numbers, foreign: ['"5"', "({})", ...NOTHING] },
  "Boolean.prototype": { own: ["true", "false"], foreign: ["1", ...NOTHING] },
  "BigInt.prototype": { own: pools.bigints, foreign: ["1", ...NOTHING] },
  "Object.prototype": {
    own: [...pools.objects, ...pools.anything.filter((text) => text !== "null" && text !== "undefined")],
    foreign: NOTHING,
  },
  "Function.prototype": { own: pools.functions, foreign: ["({})", "5"] },
  "Map.prototype": { own: pools.maps, foreign: ["new Set()", "({})", ...NOTHING] },
  "Set.prototype": { own: pools.sets, foreign: ["new Map()", "[]", ...NOTHING] },
  "TypedArray.prototype": { own: pools.byteArrays, foreign: ["[1]", "5", ...NOTHING] },
  "Uint8Array.prototype": { own: pools.byteArrays, foreign: [] },
  "Date.prototype": { own: pools.dates, foreign: ["({})", "5", ...NOTHING] },
  "RegExp.prototype": { own: pools.regexps, foreign: ["({})", '"x"', ...NOTHING] },
  "Error.prototype": { own: pools.errors, foreign: ["({ name: 'N', message: '§m' })", "5"] },
  "DOMException.prototype": {
    own: ['caught(() => atob("*"))', "caught(() => structuredClone(Promise.resolve(1)))"],
    foreign: [],
  },
  "URL.prototype": { own: pools.urls.map((url) => `new URL(${url})`), foreign: ["({})"] },
  "URLSearchParams.prototype": { own: pools.params, foreign: ["({})"] },
  "TextEncoder.prototype": { own: ["new TextEncoder()"], foreign: ["({})"] },
  "TextDecoder.prototype": {
    own: [
      "new TextDecoder()",
      'new TextDecoder("utf-8", { fatal: true })',
      'new TextDecoder("utf-8", { ignoreBOM: true })',
    ],
    foreign: ["({})"],
  },
  "Promise.prototype": { own: pools.promises, foreign: ["5", "({})"] },
  "Array Iterator.prototype": { own: pools.iterators.array, foreign: [] },
  "Map Iterator.prototype": { own: pools.iterators.map, foreign: [] },
  "Set Iterator.prototype": { own: pools.iterators.set, foreign: [] },
  "String Iterator.prototype": { own: pools.iterators.string, foreign: [] },
  "RegExp String Iterator.prototype": { own: pools.iterators.regexp, foreign: [] },
  "URLSearchParams Iterator.prototype": { own: pools.iterators.params, foreign: [] },
};

export function ownReceiver(owner: string, random: Random): string | null {
  if (random.chance(0.3)) {
    if (owner === "String.prototype") return randomString(random);
    if (owner === "Number.prototype") return `(${randomNumber(random)})`;
    if (owner === "Array.prototype") return randomArray(random);
  }
  const own = RECEIVERS[owner]?.own ?? errorReceivers(owner);
  return own.length === 0 ? null : random.pick(own);
}

export function foreignReceiver(owner: string, random: Random): string | null {
  const foreign = RECEIVERS[owner]?.foreign ?? [];
  return foreign.length === 0 ? null : random.pick(foreign);
}

/** `TypeError.prototype` and its like, the engine's own included. */
function errorReceivers(owner: string): readonly string[] {
  const name = /^(?:cairn\.)?(\w+)\.prototype$/.exec(owner)?.[1];
  if (name === undefined) return [];
  return name === "AggregateError" ? ["new AggregateError([1])"] : [`new ${name}()`, `new ${name}('§own')`];
}
