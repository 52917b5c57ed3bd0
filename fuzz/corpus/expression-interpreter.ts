import { action, workflow } from "cairnjs";

type Token = { kind: "number"; value: number } | { kind: "name"; name: string } | { kind: "symbol"; text: string };

type Node =
  | { type: "number"; value: number }
  | { type: "variable"; name: string }
  | { type: "unary"; operator: string; operand: Node }
  | { type: "binary"; operator: string; left: Node; right: Node }
  | { type: "call"; callee: string; args: Node[] }
  | { type: "lambda"; parameters: string[]; body: Node }
  | { type: "let"; name: string; value: Node; body: Node }
  | { type: "if"; test: Node; then: Node; else: Node };

class EvalFailure extends Error {
  constructor(
    message: string,
    readonly node?: Node,
  ) {
    super(`§${message}`);
  }
}

const lookUp = action("lookUp", async (name: string) => ({ pi: 3.14159, answer: 42 })[name] ?? null);

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /\s*(?:(\d+(?:\.\d+)?)|([a-z_]\w*)|(=>|==|<=|>=|&&|\|\||[-+*/%^()<>=,!]))/giy;
  while (pattern.lastIndex < source.trimEnd().length) {
    const start = pattern.lastIndex;
    const match = pattern.exec(source);
    if (match === null) throw new EvalFailure(`unexpected ${source[start]}`);
    const [, number, name, symbol] = match;
    if (number !== undefined) tokens.push({ kind: "number", value: Number(number) });
    else if (name !== undefined) tokens.push({ kind: "name", name });
    else tokens.push({ kind: "symbol", text: symbol! });
  }
  return tokens;
}

const PRECEDENCE: Record<string, number> = {
  "||": 1,
  "&&": 2,
  "==": 3,
  "<": 4,
  ">": 4,
  "<=": 4,
  ">=": 4,
  "+": 5,
  "-": 5,
  "*": 6,
  "/": 6,
  "%": 6,
  "^": 8,
};

function parse(tokens: Token[]): Node {
  let position = 0;
  const peek = (): string | undefined => {
    const token = tokens[position];
    return token?.kind === "symbol" ? token.text : token?.kind === "name" ? token.name : undefined;
  };
  const accept = (text: string): boolean => peek() === text && ++position > 0;
  const expect = (text: string): void => {
    if (!accept(text)) throw new EvalFailure(`expected ${text}, found ${peek() ?? "the end"}`);
  };
  const name = (): string => {
    const token = tokens[position++];
    if (token?.kind !== "name") throw new EvalFailure("expected a name");
    return token.name;
  };
  const expression = (least = 0): Node => {
    let left = unary();
    for (let operator = peek(); operator !== undefined && (PRECEDENCE[operator] ?? -1) > least; operator = peek()) {
      position++;
      const level = PRECEDENCE[operator]!;
      left = { type: "binary", operator, left, right: expression(operator === "^" ? level - 1 : level) };
    }
    return left;
  };
  const unary = (): Node => {
    for (const operator of ["-", "!"]) if (accept(operator)) return { type: "unary", operator, operand: unary() };
    return primary();
  };
  const primary = (): Node => {
    const token = tokens[position];
    if (token?.kind === "number") return (position++, { type: "number", value: token.value });
    if (accept("let")) {
      const variable = name();
      expect("=");
      const value = expression();
      expect("in");
      return { type: "let", name: variable, value, body: expression() };
    }
    if (accept("if")) {
      const test = expression();
      expect("then");
      const then = expression();
      expect("else");
      return { type: "if", test, then, else: expression() };
    }
    if (accept("fn")) {
      const parameters: string[] = [];
      expect("(");
      if (peek() !== ")")
        do parameters.push(name());
        while (accept(","));
      expect(")");
      expect("=>");
      return { type: "lambda", parameters, body: expression() };
    }
    if (accept("(")) {
      const inner = expression();
      expect(")");
      return inner;
    }
    const callee = name();
    if (!accept("(")) return { type: "variable", name: callee };
    const args: Node[] = [];
    if (peek() !== ")")
      do args.push(expression());
      while (accept(","));
    expect(")");
    return { type: "call", callee, args };
  };
  const whole = expression();
  if (position < tokens.length) throw new EvalFailure(`more than an expression: ${peek()}`);
  return whole;
}

type Value = number | boolean | ((...args: Value[]) => Promise<Value>);
type Scope = { readonly names: Map<string, Value>; readonly parent: Scope | null };

const operators: Record<string, (a: number, b: number) => Value> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "^": (a, b) => a ** b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
};

async function evaluate(node: Node, scope: Scope): Promise<Value> {
  switch (node.type) {
    case "number":
      return node.value;
    case "variable": {
      for (let at: Scope | null = scope; at !== null; at = at.parent)
        if (at.names.has(node.name)) return at.names.get(node.name)!;
      const found = await lookUp(node.name);
      if (found === null) throw new EvalFailure(`no variable ${node.name}`, node);
      return found;
    }
    case "unary": {
      const operand = await evaluate(node.operand, scope);
      return node.operator === "-" ? -Number(operand) : !operand;
    }
    case "binary": {
      const left = await evaluate(node.left, scope);
      if (node.operator === "&&") return left && evaluate(node.right, scope);
      if (node.operator === "||") return left || evaluate(node.right, scope);
      return operators[node.operator]!(left as number, (await evaluate(node.right, scope)) as number);
    }
    case "let": {
      const names = new Map<string, Value>();
      const inner: Scope = { names, parent: scope };
      names.set(node.name, await evaluate(node.value, inner));
      return evaluate(node.body, inner);
    }
    case "if":
      return evaluate((await evaluate(node.test, scope)) ? node.then : node.else, scope);
    case "lambda":
      return async (...args) =>
        evaluate(node.body, {
          names: new Map(node.parameters.map((name, index) => [name, args[index] ?? NaN])),
          parent: scope,
        });
    case "call": {
      const callee = await evaluate({ type: "variable", name: node.callee }, scope);
      if (typeof callee !== "function") throw new EvalFailure(`${node.callee} is not a function`, node);
      const args: Value[] = [];
      for (const arg of node.args) args.push(await evaluate(arg, scope));
      return callee(...args);
    }
  }
}

export const input = [
  "1 + 2 * 3 - 4 / 2",
  "2 ^ 3 ^ 2 % 7",
  "let x = 5 in x * x - -x",
  "let fact = fn(n) => if n <= 1 then 1 else n * fact(n - 1) in fact(10)",
  "let twice = fn(f, x) => f(f(x)) in twice(fn(y) => y + answer, 1)",
  "pi * 2 > 6 && !(1 == 2) || nothing",
  "1 / 0 - missing",
  "(1 + ",
  "3 $ 4",
  "let a = 1 in a(2)",
];

export default workflow("evaluate", async (sources: string[]) => {
  const results: unknown[] = [];
  for (const source of sources) {
    try {
      const value = await evaluate(parse(tokenize(source)), { names: new Map(), parent: null });
      results.push([source, typeof value === "function" ? "function" : value]);
    } catch (error) {
      if (error instanceof EvalFailure) results.push([source, error.message, error.node?.type]);
      else results.push([source, error]);
    }
  }
  return results;
});
