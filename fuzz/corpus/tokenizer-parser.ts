import { action, workflow } from "cairnjs";

/** A small query language: `from orders where total > 10 and not (state = "open") order by total desc limit 2`. */
type Row = Record<string, unknown>;
type Token = { type: "word" | "number" | "string" | "operator"; text: string; at: number };
type Test = (row: Row) => boolean;

class QueryError extends SyntaxError {
  at: number;
  constructor(message: string, at: number) {
    super(`§${message}`);
    this.at = at;
  }
}

const loadTable = action("loadTable", async (name: string): Promise<Row[]> => {
  if (name !== "orders") throw new ReferenceError(`§no table ${name}`);
  return [
    { id: 1, total: 15, state: "open", customer: { name: "ann" } },
    { id: 2, total: 7.5, state: "paid", customer: { name: "bob" } },
    { id: 3, total: 120, state: "paid", customer: null },
    { id: 4, total: 30, state: "lost" },
  ];
});

const PATTERNS: [Token["type"] | null, RegExp][] = [
  [null, /\s+|--.*$/my],
  ["number", /\d+(?:\.\d+)?/y],
  ["string", /"(?:[^"\\]|\\.)*"/y],
  ["operator", /<=|>=|!=|[=<>(),.]/y],
  ["word", /[a-z_]\w*/iy],
];

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  scan: for (let at = 0; at < source.length;) {
    for (const [type, pattern] of PATTERNS) {
      const sticky = new RegExp(pattern.source, pattern.flags);
      sticky.lastIndex = at;
      const match = sticky.exec(source);
      if (match === null) continue;
      if (type !== null) tokens.push({ type, text: match[0], at });
      at = sticky.lastIndex;
      continue scan;
    }
    throw new QueryError(`unexpected ${source.charAt(at)}`, at);
  }
  return tokens;
}

function parseQuery(source: string) {
  const tokens = tokenize(source);
  let next = 0;
  const word = (...expected: string[]): string | null => {
    const token = tokens[next];
    if (token?.type !== "word" || (expected.length > 0 && !expected.includes(token.text.toLowerCase()))) return null;
    next++;
    return token.text;
  };
  const need = <T>(value: T | null, what: string): T => value ?? fail(`expected ${what}`);
  const fail = (message: string): never => {
    throw new QueryError(message, tokens[next]?.at ?? source.length);
  };
  const operator = (...expected: string[]): string | null => {
    const token = tokens[next];
    return token?.type === "operator" && expected.includes(token.text) ? (next++, token.text) : null;
  };
  const column = (): ((row: Row) => unknown) => {
    const path = [need(word(), "a column")];
    while (operator(".")) path.push(need(word(), "a field"));
    return (row) => path.reduce<unknown>((value, key) => (value as Row | null | undefined)?.[key], row);
  };
  const operand = (): ((row: Row) => unknown) => {
    const token = tokens[next];
    if (token?.type === "number") return (next++, () => Number(token.text));
    if (token?.type === "string") return (next++, () => JSON.parse(token.text) as unknown);
    if (word("null")) return () => null;
    return column();
  };
  const comparison = (): Test => {
    if (word("not")) {
      const inner = comparison();
      return (row) => !inner(row);
    }
    if (operator("(")) {
      const inner = either();
      need(operator(")"), ")");
      return inner;
    }
    const left = operand();
    if (word("is")) return need(word("missing"), "missing") && ((row) => left(row) == null);
    if (word("in")) {
      need(operator("("), "(");
      const list = [operand()];
      while (operator(",")) list.push(operand());
      need(operator(")"), ")");
      return (row) => list.some((each) => each(row) === left(row));
    }
    const sign = need(operator("=", "!=", "<", ">", "<=", ">="), "a comparison");
    const right = operand();
    return (row) => {
      const [a, b] = [left(row), right(row)] as [number, number];
      switch (sign) {
        case "=":
          return a === b;
        case "!=":
          return a !== b;
        case "<":
          return a < b;
        case ">":
          return a > b;
        case "<=":
          return a <= b;
        default:
          return a >= b;
      }
    };
  };
  const both = (): Test => {
    const tests = [comparison()];
    while (word("and")) tests.push(comparison());
    return (row) => tests.every((test) => test(row));
  };
  const either = (): Test => {
    const tests = [both()];
    while (word("or")) tests.push(both());
    return (row) => tests.some((test) => test(row));
  };

  need(word("from"), "from");
  const table = need(word(), "a table");
  const where: Test = word("where") ? either() : () => true;
  let order: ((a: Row, b: Row) => number) | undefined;
  if (word("order")) {
    need(word("by"), "by");
    const key = column();
    const factor = word("desc", "asc")?.toLowerCase() === "desc" ? -1 : 1;
    order = (a, b) => factor * (Number(key(a)) - Number(key(b)));
  }
  let limit = Infinity;
  if (word("limit")) {
    const token = tokens[next++];
    limit = token?.type === "number" ? Number(token.text) : fail("expected a number");
  }
  if (next < tokens.length) fail("more than a query");
  return {
    table,
    run: (rows: Row[]) => (order === undefined ? rows.filter(where) : rows.filter(where).sort(order)).slice(0, limit),
  };
}

export const input = [
  'from orders where total > 10 and not (state = "open") order by total desc limit 2',
  'FROM orders WHERE customer.name in ("ann", "bob") or customer is missing -- all',
  "from orders order by total",
  'from orders where state = "paid',
  "from nothing",
  "from orders where",
  "from orders limit ten",
  "from orders where total >= 30 extra",
];

export default workflow("query", async (queries: string[]) => {
  const results: unknown[] = [];
  for (const source of queries) {
    try {
      const { table, run } = parseQuery(source);
      const rows = await loadTable(table);
      results.push(run(rows).map(({ id }) => id));
    } catch (error) {
      results.push(
        error instanceof QueryError ? [error.at, error.message] : [(error as Error | null)?.name ?? "unknown"],
      );
    }
  }
  return results;
});
