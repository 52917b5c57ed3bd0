/**
 * Whether a function's parameter list has a default value at its top level: `length` then counts the parameters before
 * it alone. By the function's text; where that is not plain enough to be sure, the answer is no.
 */
export function hasDefaultParameter(fn: (...args: never[]) => unknown): boolean {
  const text = Function.prototype.toString.call(fn);
  let depth = 0;
  for (let at = text.search(/\(|=>/); at >= 0 && at < text.length; at++) {
    const skipped = endOfSkipped(text, at);
    if (skipped === null) return false;
    at = skipped;
    const character = text[at]!;
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    else if (character === "=" && depth === 1) return true;
    if (depth === 0) return false;
  }
  return false;
}

/** Where to go on: behind a string or comment that begins there. Null for what only a parser can tell the end of. */
function endOfSkipped(text: string, at: number): number | null {
  const rest = text.slice(at, at + 2);
  if (rest === "//") return endOf(text.indexOf("\n", at));
  if (rest === "/*") return endOf(text.indexOf("*/", at + 2));
  if (rest.startsWith("/") || rest.startsWith("`")) return null;
  if (!rest.startsWith('"') && !rest.startsWith("'")) return at;
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === rest[0]) return end;
  }
  return null;
}

function endOf(index: number): number | null {
  return index === -1 ? null : index;
}
