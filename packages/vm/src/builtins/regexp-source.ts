/**
 * What `source` reads: the pattern as it could stand between slashes. As in V8, a slash outside a class and line
 * terminators are escaped; after a backslash only the line terminator itself is replaced.
 */
export function escapeSource(pattern: string): string {
  if (pattern === "") return "(?:)";
  let result = "";
  let from = 0;
  let isEscaped = false;
  let inClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index);
    const terminator = TERMINATORS.get(character);
    if (terminator !== undefined || (character === "/" && !isEscaped && !inClass)) {
      result += `${pattern.slice(from, index)}${isEscaped ? "" : "\\"}${terminator ?? "/"}`;
      from = index + 1;
    }
    if (!isEscaped && character === "[") inClass = true;
    else if (!isEscaped && character === "]") inClass = false;
    isEscaped = !isEscaped && character === "\\";
  }
  return from === 0 ? pattern : result + pattern.slice(from);
}

const TERMINATORS: ReadonlyMap<string, string> = new Map([
  ["\n", "n"],
  ["\r", "r"],
  ["\u2028", "u2028"],
  ["\u2029", "u2029"],
]);
