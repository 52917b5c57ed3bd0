import { toString } from "./operators.ts";

export function JSON_parse(text: unknown, reviver: unknown): unknown {
  const value = $.jsonParse(toString(text));
  return $.isCallable(reviver) ? revive(value, reviver) : value;
}

/**
 * Calls the reviver from the inside out. Containers being walked stand on lists with the keys that lead to them;
 * the last of `keyLists` are the keys left of the innermost, null for an array.
 */
function revive(value: unknown, reviver: unknown): unknown {
  const root = $.jsonHolder(value);
  const holders: unknown[] = [];
  const keyLists: (readonly string[] | null)[] = [];
  const lengths: number[] = [];
  const positions: number[] = [];
  const names: string[] = [];
  let depth = 0;
  let holder: unknown = root;
  let name = "";
  let member: unknown = value;
  for (;;) {
    if ($.isObject(member)) {
      const keys = $.jsonKeys(member);
      const length = keys === null ? $.lengthOf(member) : keys.length;
      if (length > 0) {
        holders[depth] = holder;
        keyLists[depth] = keys;
        lengths[depth] = length;
        positions[depth] = 0;
        names[depth] = name;
        depth++;
        holder = member;
        name = keys === null ? "0" : keys[0]!;
        member = $.get(holder, name);
        continue;
      }
    }
    let result = $.call(reviver, holder, name, member);
    for (;;) {
      if (depth === 0) return result;
      $.jsonRevive(holder, name, result);
      const level = depth - 1;
      const position = positions[level]! + 1;
      if (position < lengths[level]!) {
        const keys = keyLists[level]!;
        positions[level] = position;
        name = keys === null ? `${position}` : keys[position]!;
        break;
      }
      member = holder;
      holder = holders[level];
      name = names[level]!;
      depth = level;
      result = $.call(reviver, holder, name, member);
    }
    member = $.get(holder, name);
  }
}

export function JSON_stringify(value: unknown, replacer: unknown, space: unknown): unknown {
  const text = $.jsonStringify(value, replacer, space);
  return text === null ? write(value, replacer, space) : text;
}

/**
 * With calls of the program's `toJSON` and replacer. Containers being written stand on lists. A replacer that never
 * ends is ended like any recursion: V8 gives up at a depth of a few thousand.
 */
function write(value: unknown, replacer: unknown, space: unknown): string | undefined {
  const calls = $.isCallable(replacer);
  const allowed = calls ? null : $.jsonNames(replacer);
  const gap = $.jsonGap(space);
  const colon = gap === null ? ":" : ": ";
  const open: unknown[] = [];
  /** In each open container, the key of the member being written. */
  const path: string[] = [];
  const keyLists: (readonly string[] | null)[] = [];
  const lengths: number[] = [];
  const positions: number[] = [];
  /** What stands between two members: a comma, with the line break and indentation of the level. */
  const breaks: string[] = [gap === null ? "" : "\n"];
  let text = "";
  let holder: unknown = calls ? $.jsonHolder(value) : undefined;
  let key = "";
  let member = value;
  let depth = 0;
  let isFirst = true;
  for (;;) {
    if ($.isObject(member)) {
      const toJson = $.get(member, "toJSON");
      if ($.isCallable(toJson)) member = $.call(toJson, member, key);
    }
    if (calls) member = $.call(replacer, holder, key, member);
    const scalar = $.jsonScalar(member);
    if (depth === 0 && scalar !== null) return scalar;
    if (depth > 0) {
      const isElement = keyLists[depth - 1] === null;
      if (scalar !== undefined || isElement) {
        text += isFirst ? breaks[depth]! : `,${breaks[depth]!}`;
        if (!isElement) text += $.jsonScalar(key)! + colon;
        if (scalar !== null) text += scalar === undefined ? "null" : scalar;
        isFirst = false;
      }
    }
    if (scalar === null) {
      $.jsonCheckCircle(open, path, member, key);
      if (depth === 9000) throw new RangeError("Maximum call stack size exceeded");
      const keys = $.isArray(member) ? null : allowed === null ? $.jsonKeys(member) : allowed;
      open.push(member);
      path.push("");
      keyLists.push(keys);
      lengths.push(keys === null ? $.lengthOf(member) : keys.length);
      positions.push(0);
      depth++;
      if (breaks.length === depth) breaks.push(gap === null ? "" : breaks[depth - 1]! + gap);
      text += keys === null ? "[" : "{";
      isFirst = true;
    }
    while (positions[depth - 1] === lengths[depth - 1]) {
      const keys = keyLists.pop();
      open.pop();
      path.pop();
      lengths.pop();
      positions.pop();
      depth--;
      if (!isFirst) text += breaks[depth]!;
      text += keys === null ? "]" : "}";
      isFirst = false;
      if (depth === 0) return text;
    }
    const level = depth - 1;
    const position = positions[level]!;
    const keys = keyLists[level]!;
    positions[level] = position + 1;
    key = keys === null ? `${position}` : keys[position]!;
    path[level] = key;
    holder = open[level];
    member = $.get(holder, key);
  }
}
