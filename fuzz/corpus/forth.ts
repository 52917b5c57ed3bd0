import { action, workflow } from "cairnjs";

class ForthError extends Error {
  constructor(
    readonly word: string,
    reason: string,
  ) {
    super(`§${word}: ${reason}`);
  }
}

const print = action("print", async (text: string) => text.length);

type Word = { kind: "primitive"; run: () => void | Promise<void> } | { kind: "compiled"; body: string[] };

export const input = [
  ": square dup * ;",
  ": cube dup square * ;",
  "3 cube . 2 square .",
  ": fib dup 2 < if exit then dup 1 - fib swap 2 - fib + ;",
  "10 fib .",
  ": countdown begin dup . 1 - dup 0 = until drop ;",
  "3 countdown",
  "variable total 0 total !",
  ": add-all 0 do i total @ + total ! loop ;",
  "5 add-all total @ .",
  "drop",
  "1 2 swap - unknown",
  "1 0 /",
];

export default workflow("forth", async (lines: string[]) => {
  const stack: number[] = [];
  const returns: number[] = [];
  const memory: number[] = [];
  const output: string[] = [];
  const words = new Map<string, Word>();
  let steps = 0;

  const pop = (word: string): number => {
    const value = stack.pop();
    if (value === undefined) throw new ForthError(word, "the stack is empty");
    return value;
  };
  const define = (name: string, run: () => void | Promise<void>) => words.set(name, { kind: "primitive", run });
  const binary = (name: string, compute: (a: number, b: number) => number) =>
    define(name, () => {
      const b = pop(name);
      const a = pop(name);
      stack.push(compute(a, b));
    });

  binary("+", (a, b) => a + b);
  binary("-", (a, b) => a - b);
  binary("*", (a, b) => Math.imul(a, b));
  binary("/", (a, b) => {
    if (b === 0) throw new ForthError("/", "division by zero");
    return Math.trunc(a / b);
  });
  binary("<", (a, b) => (a < b ? -1 : 0));
  binary("=", (a, b) => (a === b ? -1 : 0));
  define(
    "dup",
    () => void stack.push(pop("dup"), stack.at(-1) ?? 0) || (stack[stack.length - 1] = stack[stack.length - 2]!),
  );
  define("drop", () => void pop("drop"));
  define("swap", () => {
    const [b, a] = [pop("swap"), pop("swap")];
    stack.push(b, a);
  });
  define("!", () => {
    const address = pop("!");
    memory[address] = pop("!");
  });
  define("@", () => void stack.push(memory[pop("@")] ?? 0));
  define("i", () => void stack.push(returns.at(-1) ?? 0));
  define(".", async () => {
    const text = String(pop("."));
    output.push(text);
    await print(text);
  });

  const matching = (body: string[], from: number, open: string[], close: string[]): number => {
    let depth = 0;
    for (let at = from; at < body.length; at++) {
      if (open.includes(body[at]!)) depth++;
      if (close.includes(body[at]!) && --depth === 0) return at;
    }
    throw new ForthError(body[from]!, "is never closed");
  };

  const run = async (body: string[]): Promise<boolean> => {
    const begins: number[] = [];
    const loops: { start: number; limit: number }[] = [];
    for (let at = 0; at < body.length; at++) {
      if (++steps > 3000) throw new ForthError(body[at]!, "too many steps");
      const word = body[at]!;
      switch (word) {
        case "if":
          if (pop("if") === 0) at = matching(body, at, ["if"], ["then"]);
          continue;
        case "then":
          continue;
        case "exit":
          return true;
        case "begin":
          begins.push(at);
          continue;
        case "until":
          if (pop("until") === 0) at = begins.at(-1)!;
          else begins.pop();
          continue;
        case "do": {
          const from = pop("do");
          loops.push({ start: at, limit: pop("do") });
          returns.push(from);
          continue;
        }
        case "loop": {
          const { start, limit } = loops.at(-1)!;
          const next = returns.pop()! + 1;
          if (next < limit) {
            returns.push(next);
            at = start;
          } else loops.pop();
          continue;
        }
      }
      const known = words.get(word);
      if (known?.kind === "primitive") await known.run();
      else if (known !== undefined) await run(known.body);
      else if (/^-?\d+$/.test(word)) stack.push(Number(word));
      else throw new ForthError(word, "is not defined");
    }
    return false;
  };

  const errors: string[] = [];
  for (const line of lines) {
    const tokens = line.trim().split(/\s+/);
    try {
      if (tokens[0] === ":") words.set(tokens[1]!, { kind: "compiled", body: tokens.slice(2, -1) });
      else if (tokens[0] === "variable") {
        const address = memory.push(0) - 1;
        define(tokens[1]!, () => void stack.push(address));
        await run(tokens.slice(2));
      } else await run(tokens);
    } catch (error) {
      if (!(error instanceof ForthError)) errors.push(`other ${typeof error}`);
      else errors.push(error.message);
      stack.length = 0;
      returns.length = 0;
    }
  }
  return { output: output.join(" "), errors, stack, steps };
});
