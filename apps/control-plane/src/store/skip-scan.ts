/**
 * A recursive CTE: the values that a column has, by one look at its index for each, however many rows have it. (DISTINCT
 * reads all of them.)
 */
export function skipScan(name: string, column: string, table: string, where = "true"): string {
  return `${name} (${column}) AS (
    (SELECT t.${column} FROM ${table} AS t WHERE ${where} ORDER BY t.${column} LIMIT 1)
    UNION ALL
    SELECT next.${column} FROM ${name}, LATERAL (
      SELECT t.${column} FROM ${table} AS t WHERE ${where} AND t.${column} > ${name}.${column} ORDER BY t.${column} LIMIT 1
    ) AS next
  )`;
}
