/** How names begin that a pattern with a star at its end is for; null: it is a name itself. */
export function beginningIn(pattern: string): string | null {
  return pattern.endsWith("*") ? pattern.slice(0, -1) : null;
}

/** Whether a pattern is for a name: it is that name, or how it begins with a star behind. */
export function isPatternFor(pattern: string, name: string): boolean {
  const beginning = beginningIn(pattern);
  return beginning === null ? pattern === name : name.startsWith(beginning);
}
