/**
 * What prelude code may ask of the machine. `$.call` and `$.construct` are instructions; every other name is an
 * operation in `src/builtins/operations-<family>.ts`, compiled to a `Host` instruction. Each family declares its
 * own under its heading; the interface merges.
 */
declare const $: Operations;

interface Operations {
  call(callee: unknown, self: unknown, ...args: unknown[]): unknown;
  construct(constructor: unknown, ...args: unknown[]): unknown;
}

// ---- Array, Object, iterators -----------------------------------------------------------------------------

interface Operations {
  /**
   * The value if it is an object; for null and undefined a TypeError, which names the method when `path` does;
   * other primitives are refused.
   */
  toObject(value: unknown, path: string): ArrayLike<unknown>;
  isObject(value: unknown): value is object;
  isCallable(value: unknown): boolean;
  isArray(value: unknown): value is unknown[];
  isIterable(value: unknown): value is Iterable<unknown>;
  /** The iterator of a value; a TypeError in the words of built-ins when it has none. */
  iteratorOf(value: unknown): Iterable<unknown>;
  /** ToLength of `object.length`; -1 when that is an object, which only the prelude can make a number. */
  lengthOf(object: unknown): number;
  /** ToLength of a number. */
  toLength(value: number): number;
  /** `object[key]` and `key in object` for an object and a primitive key. */
  get(object: unknown, key: string | number): unknown;
  has(object: unknown, key: string | number): boolean;
  set(object: unknown, key: string | number, value: unknown): void;
  remove(object: unknown, key: string | number): void;
  /** Creates an own plain property, whatever the prototypes hold. */
  define(object: unknown, key: string | number, value: unknown): void;
  /** TypeError "`text of value` is not a function". */
  throwNotFunction(value: unknown): never;
  /** TypeError "Iterator value … is not an entry object" for what is no object. */
  requireEntry(value: unknown): void;
  /** An array of `length` holes, of the receiver's species: refused when that could be another than Array's. */
  newArrayFor(object: unknown, length: number): unknown[];
  /** Refuses `Array.from` on another constructor. */
  requireArrayConstructor(value: unknown): void;
  /** The elements joined, or undefined when one of them is an object whose text only the prelude can find. */
  joinPrimitives(object: unknown, separator: string): string | undefined;
  /** Whether a `join` of this object is under way further up in the calls. */
  isJoining(object: unknown): boolean;
  /** An object made of entries, all of them arrays with primitive keys; undefined when some are not. */
  fromPlainEntries(entries: unknown): object | undefined;
  /** The elements that `sort` has to order: neither holes nor undefined. */
  sortable(object: unknown, length: number): unknown[];
  /** How many elements are undefined, holes among them when they count. */
  undefinedCount(object: unknown, length: number, countHoles: boolean): number;
  /** Orders by text in place if no element is an object, so that nothing is observable; false otherwise. */
  sortPrimitives(list: unknown[]): boolean;
  /** Writes the sorted list back, then the undefined ones, and deletes what is left up to `length`. */
  storeSorted(object: unknown, list: unknown[], undefinedCount: number, length: number): void;
  appendUndefined(list: unknown[], count: number): void;
  sliceOf(list: unknown[], start: number, count: number): unknown[];
  /** Copies elements between two lists of the prelude, which may be the same one. */
  copyRange(source: unknown[], from: number, target: unknown[], to: number, count: number): void;
  reverseRange(list: unknown[], start: number, end: number): void;
  /**
   * What ECMA-262 reads of a host built-in's receiver before it makes the arguments primitive: an array's length,
   * a date's time. Throws for a receiver of the wrong type.
   */
  stateBeforeArguments(builtin: unknown, self: unknown, args: unknown[]): unknown;
  /** Whether a host built-in looks at its arguments at all, given that state. */
  argumentNeeded(builtin: unknown, self: unknown, args: unknown[], index: number): boolean;
  argumentsMatter(builtin: unknown, self: unknown, before: unknown): boolean;
}

// ---- The machine: operators, promises ---------------------------------------------------------------------

interface Operations {
  isDate(value: unknown): boolean;
  /** The operators on primitives, by the machine's names: `add`, `less`, `toNumber`. */
  unaryPrimitive(name: string, value: unknown): unknown;
  binaryPrimitive(name: string, left: unknown, right: unknown): unknown;
  /** Property access on any value with a primitive key. */
  getMember(object: unknown, key: string): unknown;
  setMember(object: unknown, key: string, value: unknown): void;
  deleteMember(object: unknown, key: string): boolean;
  hasMember(object: unknown, key: string): boolean;
  /** Whether the key is an element of a byte array, so that the value is made a number first. */
  isByteIndex(object: unknown, key: string): boolean;
  coerceHints(builtin: unknown): string;
  /** Ends the run if the receiver's state is not what it was before the arguments were made primitive. */
  requireState(builtin: unknown, self: unknown, args: unknown[], before: unknown): void;
  callHost(builtin: unknown, self: unknown, args: unknown[], constructing: boolean): unknown;
  isWholeNumber(value: number): boolean;
  /** As V8 prints a value in messages. */
  describe(value: unknown): string;
  newPromise(): unknown;
  newResolvers(promise: unknown): unknown;
  resolveOf(resolvers: unknown): unknown;
  rejectOf(resolvers: unknown): unknown;
  then(promise: unknown, onFulfilled: unknown, onRejected: unknown): unknown;
  toPromise(value: unknown): unknown;
  requirePromise(value: unknown, method: string): void;
}

// ---- Strings, regular expressions, JSON, dates ------------------------------------------------------------

interface Operations {
  /** Methods of String on primitives: the receiver first. Null when one of the values is an object. */
  textEndsWith(self: unknown, search: unknown, end: unknown): boolean | null;
  textIncludes(self: unknown, search: unknown, position: unknown): boolean | null;
  textStartsWith(self: unknown, search: unknown, position: unknown): boolean | null;
  textSplit(self: unknown, separator: unknown, limit: unknown): string[] | null;
  textReplace(self: unknown, pattern: unknown, replacement: unknown): string | null;
  textReplaceAll(self: unknown, pattern: unknown, replacement: unknown): string | null;
  /** TypeError "String.prototype.`method` called on null or undefined". */
  requireText(value: unknown, method: string): void;
  /** -1 for a start beyond the end, also for an empty text. */
  textIndexOf(text: string, sought: string, start: number): number;

  isRegExp(value: unknown): boolean;
  /** A program may give a regular expression a `constructor` of its own. */
  regexpHasUsualConstructor(regexp: unknown): boolean;
  /** TypeError "Method RegExp.prototype.`method` called on incompatible receiver". */
  requireRegExp(value: unknown, method: string): void;
  newRegExp(source: string, flags: string): unknown;
  regexpSource(regexp: unknown): string;
  regexpFlags(regexp: unknown): string;
  regexpHasFlag(regexp: unknown, flag: string): boolean;
  /** `lastIndex` as it is: any value of the program. */
  lastIndex(regexp: unknown): unknown;
  setLastIndex(regexp: unknown, index: number): void;
  /** TypeError when `search` would have to write a `lastIndex` that is read-only. */
  requireSearchable(regexp: unknown): void;

  /** Whole calls on primitives, as long as they take few steps of matching; else undefined, with no effect. */
  regexpExec(regexp: unknown, text: unknown): unknown;
  regexpTest(regexp: unknown, text: unknown): boolean | undefined;
  regexpMatch(regexp: unknown, text: string): unknown;
  regexpReplace(regexp: unknown, text: string, template: string): string | undefined;
  regexpSearch(regexp: unknown, text: string): number | undefined;
  regexpSplit(regexp: unknown, text: string, limit: number): unknown[] | undefined;

  /** A search that is sliced: null when it would start beyond the end. `start` counts for `g` and `y` only. */
  matchStart(regexp: unknown, text: string, start: number): Match | null;
  /** A search for separators: from the start, and never sticky. */
  matchSplit(regexp: unknown, text: string): Match;
  /** Runs a slice; true when the search has ended. */
  matchRun(match: Match): boolean;
  matchFound(match: Match): boolean;
  /** Starts the search for the next match, behind this one; it ends at once when that is beyond the end. */
  matchAgain(match: Match): void;
  matchIndex(match: Match): number;
  matchEnd(match: Match): number;
  matchText(match: Match): string;
  matchCaptures(match: Match): (string | undefined)[];
  /** What `exec` returns. */
  matchArray(match: Match): unknown;
  /** What a replacer is called with. */
  matchArguments(match: Match): unknown[];
  /** The replacement text with its references filled in. */
  matchExpand(match: Match, template: string): string;
  matchIterator(matches: unknown[]): unknown;

  jsonParse(text: string): unknown;
  /** The text, undefined, or null when the program's own code is needed to write it. */
  jsonStringify(value: unknown, replacer: unknown, space: unknown): string | undefined | null;
  /** Indentation of a level, or null when all stands on one line. */
  jsonGap(space: unknown): string | null;
  /** The property names that an array as replacer allows. */
  jsonNames(replacer: unknown): string[] | null;
  /** The text of a scalar, undefined for what JSON leaves out, null for a container. */
  jsonScalar(value: unknown): string | undefined | null;
  /** The keys to write or revive: null for an array, whose length counts. */
  jsonKeys(object: unknown): string[] | null;
  /** TypeError when the object is among the open containers; `path` has the key that leads on from each. */
  jsonCheckCircle(open: unknown[], path: string[], object: unknown, key: string): void;
  /** `{ "": value }` */
  jsonHolder(value: unknown): unknown;
  /** Puts in place what a reviver returned: undefined removes the property. */
  jsonRevive(holder: unknown, key: string, value: unknown): void;

  /** What `Date()` without `new` returns. */
  dateText(): string;
  dateOfNow(): unknown;
  /** From another date or a primitive. */
  dateOfValue(value: unknown): unknown;
  /** From numbers: year, month and so on. */
  dateOfParts(parts: unknown[]): unknown;
}

/** A search in a text, on the machine's heap. */
interface Match {
  readonly match: never;
}

// ---- Map, Set, Uint8Array, URLSearchParams ------------------------------------------------------------------

interface Operations {
  /** Live iterators over keys or values, for `forEach`, after its receiver and callback were checked. */
  mapKeys(map: unknown, callback: unknown): Iterable<unknown>;
  mapValue(map: unknown, key: unknown): unknown;
  setValues(set: unknown, callback: unknown): Iterable<unknown>;

  iterableList(iterable: unknown): unknown[];

  isBytes(value: unknown): boolean;
  /** Checks receiver and callback, and tells the number of elements. */
  bytesWalk(bytes: unknown, callback: unknown): number;
  /** The number of elements of a receiver; `path` is in the message when it is another object. */
  requireBytes(bytes: unknown, path: string): number;
  /** Refuses another species than Uint8Array. */
  bytesSpecies(bytes: unknown): void;
  bytesConstructor(constructor: unknown): void;
  bytesOfLength(length: unknown): Uint8Array;
  bytesCopy(bytes: unknown): Uint8Array;
  /** Null when an element is an object. */
  bytesOfList(list: unknown[]): Uint8Array | null;
  bytesSort(bytes: unknown): unknown;
  bytesList(bytes: unknown): number[];
  bytesAssign(bytes: unknown, list: number[]): unknown;

  isParams(value: unknown): boolean;
  newParams(text: string): unknown;
  copyParams(params: unknown): unknown;
  appendParam(params: unknown, name: string, value: string): void;
  /** Appends, or replaces the value of a name that is the same once it is well formed. */
  putParam(params: unknown, name: string, value: string): void;
  ownKeyList(object: unknown): string[];
  isOwnEnumerable(object: unknown, key: string): boolean;
  throwInvalidTuple(): never;
  requireParams(params: unknown, callback: unknown): void;
  paramsSize(params: unknown): number;
  paramName(params: unknown, index: number): string;
  paramValue(params: unknown, index: number): string;
}
