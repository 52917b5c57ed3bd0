import type { Builtin, Parameter } from "./builtin.ts";

/**
 * Parses one line of the list:
 *
 *   Array.prototype.at(index: integer) -> any
 *   Array.prototype.map(callback: fn(item, index, array), thisArg?: any) -> array   prelude
 *   Map.prototype.size -> integer                 a getter
 *   URL.prototype.href -> string   settable       an accessor
 *   Math.PI = number                              a constant
 *   Number.parseInt = parseInt()                  the same function object as another path
 *   new Map(entries?: iterable) -> map            only with new
 *   Array(...items: any) -> array | new           with and without
 *
 * Then any of: prelude, machine, settable, length=N, extends=Path, call-refused, new-refused.
 */
export function parseSignature(line: string): Builtin {
  const { text, flags } = splitFlags(line.trim());
  const onlyNew = text.startsWith("new ");
  const orNew = text.endsWith("| new");
  const body = text.slice(onlyNew ? 4 : 0, orNew ? -5 : undefined).trim();
  const path = /^[\w$]+( String)?( Iterator)?(\.[\w$]+)*/.exec(body)?.[0];
  if (path === undefined) throw new Error(`A line of the list has no path: ${line}`);
  const rest = body.slice(path.length).trim();

  if (rest.startsWith("=")) return constantOrSame(path, rest.slice(1).trim(), text, flags);
  const isFunction = rest.startsWith("(");
  const close = isFunction ? closingBracket(rest) : -1;
  const parameters = isFunction ? splitParameters(rest.slice(1, close)).map(parseParameter) : [];
  const returns = /^->\s*(.+)$/.exec(rest.slice(close + 1).trim())?.[1] ?? "undefined";
  const isConstructor = onlyNew || orNew || /^(cairn\.)?[A-Z]\w*$/.test(path);
  const how = flags.has("prelude") ? "prelude" : flags.has("machine") ? "machine" : "host";
  return entry({
    path,
    kind: !isFunction ? "getter" : isConstructor ? "constructor" : "function",
    how,
    length: Number(flags.get("length") ?? declaredLength(parameters)),
    signature: text,
    parameters,
    returns,
    coerce: how === "host" ? coercions(path, parameters, flags.has("settable") ? returns : null) : "-",
    settable: flags.has("settable"),
    callable: isFunction && !onlyNew,
    constructible: onlyNew || orNew,
    refused: (["call", "new"] as const).filter((use) => flags.has(`${use}-refused`)),
    parent: flags.get("extends") ?? "",
  });
}

/** A complete entry from the fields that matter for its kind. */
export function entry(fields: Pick<Builtin, "path" | "kind"> & Partial<Builtin>): Builtin {
  return {
    how: "host",
    length: 0,
    signature: fields.path,
    parameters: [],
    returns: "",
    coerce: "-",
    settable: false,
    callable: false,
    constructible: false,
    refused: [],
    sameAs: "",
    parent: "",
    ...fields,
  };
}

const FLAG = /\s+(prelude|machine|settable|call-refused|new-refused|(length|extends)=(\S+))$/;

function splitFlags(line: string): { text: string; flags: Map<string, string> } {
  const flags = new Map<string, string>();
  let text = line;
  for (let match = FLAG.exec(text); match !== null; match = FLAG.exec(text)) {
    flags.set(match[2] ?? match[1]!, match[3] ?? "");
    text = text.slice(0, match.index);
  }
  return { text, flags };
}

function constantOrSame(path: string, right: string, text: string, flags: Map<string, string>): Builtin {
  if (!right.endsWith("()")) return entry({ path, kind: "constant", signature: text, returns: right });
  const how = flags.has("prelude") ? "prelude" : "host";
  return entry({
    path,
    kind: "function",
    how,
    signature: text,
    sameAs: right.slice(0, -2),
    callable: true,
  });
}

function closingBracket(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  throw new Error(`A line of the list has an open bracket: ${text}`);
}

function splitParameters(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (at === text.length || (character === "," && depth === 0)) {
      const part = text.slice(start, at).trim();
      if (part !== "") parts.push(part);
      start = at + 1;
    }
  }
  return parts;
}

function parseParameter(text: string): Parameter {
  const match = /^(\.\.\.)?(\w+)(\?)?:\s*(.+)$/.exec(text);
  if (match === null) throw new Error(`A line of the list has a parameter without type: ${text}`);
  return { name: match[2]!, type: match[4]!, optional: match[3] === "?", rest: match[1] === "..." };
}

function declaredLength(parameters: readonly Parameter[]): number {
  const end = parameters.findIndex((parameter) => parameter.optional || parameter.rest);
  return end < 0 ? parameters.length : end;
}

const HINTS: Readonly<Record<string, string>> = {
  integer: "n",
  number: "n",
  bigint: "n",
  string: "s",
  key: "s",
};

function coercions(path: string, parameters: readonly Parameter[], setterType: string | null): string {
  const types = setterType === null ? parameters.map((parameter) => parameter.type) : [setterType];
  const hints = types.map((type) => HINTS[type] ?? "-").join("");
  const further = parameters.at(-1)?.rest === true ? "" : "-";
  return (receiverHint(path) + hints + further).replace(/-+$/, "-");
}

/** The methods of strings work on whatever `this` turns into; only these two insist on a string. */
function receiverHint(path: string): string {
  if (path === "String.prototype.toString" || path === "String.prototype.valueOf") return "-";
  return path.startsWith("String.prototype.") ? "s" : "-";
}
