/** SQL: whether a pattern is for what a column names, as `isPatternFor` says it. Without one (null), whatever that is. */
export function isNamedBy(column: string, pattern: string): string {
  return `CASE WHEN right(${pattern}::text, 1) = '*' THEN starts_with(${column}, left(${pattern}, -1))
      ELSE coalesce(${column} = ${pattern}, true) END`;
}
