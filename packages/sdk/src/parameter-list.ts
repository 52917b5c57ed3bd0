/** What `length` of a function does not say of its parameters, those at the top level of its list. */
export interface ParameterList {
  /** `length` then counts the parameters before it alone. */
  readonly hasDefault: boolean;
  /** Takes any number of arguments. */
  readonly hasRest: boolean;
}

/** Read from the function's text; null where only a parser could be sure. */
export function parameterList(fn: (...args: never[]) => unknown): ParameterList | null {
  const text = Function.prototype.toString.call(fn);
  let depth = 0;
  let isInside = false;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const skipped = endOfSkipped(text, at);
    if (skipped === null) return null;
    if (skipped !== at) {
      at = skipped;
      continue;
    }
    const character = text[at]!;
    if (!isInside && text.startsWith("=>", at)) break;
    if (character === "(" && depth === 0) isInside = true;
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    else if (isInside && depth === 1) {
      if (character === "=") return { hasDefault: true, hasRest: false };
      if (character === ",") count += 1;
      // A wrapper that was given the length of what it wraps takes as many arguments as that.
      if (text.startsWith("...", at)) return { hasDefault: false, hasRest: fn.length === count };
    }
    if (isInside && depth === 0) break;
  }
  return { hasDefault: false, hasRest: false };
}

/** Where to go on: behind a string or comment that begins there. Null for what only a parser can tell the end of. */
function endOfSkipped(text: string, at: number): number | null {
  const rest = text.slice(at, at + 2);
  if (rest === "//") return endOf(text.indexOf("\n", at), 0);
  if (rest === "/*") return endOf(text.indexOf("*/", at + 2), 1);
  if (rest.startsWith("/") || rest.startsWith("`")) return null;
  if (!rest.startsWith('"') && !rest.startsWith("'")) return at;
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === rest[0]) return end;
  }
  return null;
}

function endOf(index: number, more: number): number | null {
  return index === -1 ? null : index + more;
}
