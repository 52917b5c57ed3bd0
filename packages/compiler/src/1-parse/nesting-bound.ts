/**
 * The parser is native code that calls itself: source nested deeply enough ends the process, which no `catch` sees.
 * So before it runs, this scans the tokens for a bound on how deep it will go, from what each kind of token costs it:
 *   a bracket that is still open                                      18
 *   a token that puts what follows one level deeper: `=>`, `if`, `!`   6
 *   any other token, since `a + b + c` and `a.b.c` are nested too      1
 * counted, on each open level, for the statement, element or argument that is being read there. Measured for 70
 * kinds of nesting on the 4 MB stack of a worker thread, the worst (functions, namespaces, arrows, type arguments)
 * end the process at 36,000 to 45,000. What people write reaches a few hundred.
 */
const BOUND_MAX = 24_000;
const OPEN_BRACKET = 18;
const DEEPER = 6;

/** The offset at which the source is nested too deeply to be given to the parser, or null. */
export function tooDeepOffset(source: string): number | null {
  return new NestingScanner(source).scan();
}

/** What stands before the next token. It decides if `/` divides, if a new line ends a statement, what `{` opens. */
type Before = "operand" | "operator" | "statement" | "block";

const DEEPER_WORDS = words(
  "if while for do await yield new class typeof void delete keyof readonly unique infer asserts",
);
const OPERATOR_WORDS = words(
  "return throw case in of instanceof as satisfies extends default export import is async abstract",
);
/** These go on with the statement before them, even on a new line. */
const CONTINUING_WORDS = words("in of instanceof as satisfies is extends implements else while catch finally from");
const HEADERS = words("if while for with");
const LINE_BREAK = /[\n\r\u2028\u2029]/;

interface Level {
  readonly bracket: string;
  /** What stands before the token after the closing bracket. */
  readonly after: Before;
  /** Of what is being read in it. */
  cost: number;
  /** Of what was read before: `else` goes on with the `if` that a semicolon has ended. */
  costBefore: number;
}

class NestingScanner {
  readonly #source: string;
  #at = 0;
  #before: Before = "statement";
  #word = "";
  #isNewLine = false;
  readonly #outer: Level[] = [];
  #level: Level = { bracket: "", after: "statement", cost: 0, costBefore: 0 };
  /** Of all levels that are open. */
  #total = 0;

  constructor(source: string) {
    this.#source = source;
  }

  scan(): number | null {
    while (this.#at < this.#source.length) {
      const start = this.#at;
      this.#token(this.#source.charAt(start));
      if (this.#total > BOUND_MAX) return start;
    }
    return null;
  }

  #token(character: string): void {
    switch (character) {
      case " ":
        this.#at += 1;
        return;
      case "\n":
      case "\r":
      case "\u2028":
      case "\u2029":
        this.#at += 1;
        this.#isNewLine = true;
        return;
      case "(":
      case "[":
      case "{":
        return this.#open(character);
      case ")":
      case "]":
      case "}":
        return this.#close();
      case ";":
        this.#endPart();
        return this.#punctuator(0, "statement");
      case ",":
        this.#endPart();
        return this.#punctuator(0);
      case '"':
      case "'":
        return this.#string(character);
      case "`":
        return this.#template();
      case "/":
        return this.#slash();
      case "=":
      case "!":
      case "<":
      case ">":
        return this.#comparison(character);
      case "?":
      case ":":
      case "~":
        return this.#punctuator(DEEPER);
      case "*":
        return this.#punctuator(this.#next() === "*" ? DEEPER : 1);
      default:
        if (!this.#takeWord()) this.#punctuator(1);
    }
  }

  #next(): string {
    return this.#source.charAt(this.#at + 1);
  }

  #spend(cost: number): void {
    this.#level.cost += cost;
    this.#total += cost;
  }

  /** A statement, element or argument has ended, and with it all that it was nested in on this level. */
  #endPart(): void {
    this.#level.costBefore = this.#level.cost;
    this.#spend(-this.#level.cost);
  }

  #punctuator(cost: number, before: Before = "operator"): void {
    this.#spend(cost);
    this.#at += 1;
    this.#passed(before);
  }

  #passed(before: Before, word = ""): void {
    this.#before = before;
    this.#word = word;
    this.#isNewLine = false;
  }

  #takeWord(): boolean {
    const start = this.#at;
    let end = start;
    while (isWordCode(this.#source.charCodeAt(end))) end += 1;
    if (end === start) return false;
    this.#at = end;
    const word = this.#source.slice(start, end);
    const isEnded = this.#before === "block" || (this.#before === "operand" && this.#isNewLine);
    if (word === "case" || (isEnded && !CONTINUING_WORDS.has(word))) this.#endPart();
    if (word === "else" && this.#level.cost === 0) this.#spend(this.#level.costBefore);
    const isDeeper = DEEPER_WORDS.has(word);
    this.#spend(isDeeper ? DEEPER : 1);
    if (word === "else" || word === "do") this.#passed("statement", word);
    else this.#passed(isDeeper || OPERATOR_WORDS.has(word) ? "operator" : "operand", word);
    return true;
  }

  #open(bracket: string): void {
    const isBlock = bracket === "{" && this.#before !== "operator";
    if (isBlock && this.#before === "block") this.#endPart();
    this.#spend(1);
    const isHeader = bracket === "(" && HEADERS.has(this.#word);
    this.#push(bracket, isBlock ? "block" : isHeader ? "statement" : "operand");
    this.#at += 1;
    this.#passed(bracket === "{" ? "statement" : "operator");
  }

  #push(bracket: string, after: Before): void {
    this.#outer.push(this.#level);
    this.#level = { bracket, after, cost: 0, costBefore: 0 };
    this.#total += OPEN_BRACKET;
  }

  /** One that closes nothing, or another kind of bracket, is where the parser stops. */
  #close(): void {
    const { bracket, after, cost } = this.#level;
    const outer = this.#outer.pop();
    if (outer === undefined) {
      this.#at = this.#source.length;
      return;
    }
    this.#level = outer;
    this.#total -= cost + OPEN_BRACKET;
    if (bracket === "${") return this.#template();
    this.#at += 1;
    this.#passed(after);
  }

  #string(quote: string): void {
    let at = this.#at + 1;
    for (; at < this.#source.length; at += 1) {
      const character = this.#source.charAt(at);
      if (character === "\\") at += 1;
      else if (character === quote || character === "\n" || character === "\r") break;
    }
    this.#spend(1);
    this.#at = at + 1;
    this.#passed("operand");
  }

  /** From a back-tick, or the end of `${…}`, to the end of the template or the next `${`. */
  #template(): void {
    let at = this.#at + 1;
    for (; at < this.#source.length; at += 1) {
      const character = this.#source.charAt(at);
      if (character === "\\") at += 1;
      else if (character === "`" || (character === "$" && this.#source.charAt(at + 1) === "{")) break;
    }
    const isEnd = this.#source.charAt(at) !== "$";
    if (isEnd) this.#spend(1);
    else this.#push("${", "operand");
    this.#at = at + (isEnd ? 1 : 2);
    this.#passed(isEnd ? "operand" : "operator");
  }

  #slash(): void {
    const next = this.#next();
    if (next === "/") return this.#comment(new RegExp(LINE_BREAK, "g"));
    if (next === "*") return this.#comment(/\*\//g);
    const end = this.#before === "operand" ? -1 : this.#regularExpressionEnd();
    if (end === -1) {
      if (next === ">") this.#endTag();
      return this.#punctuator(1);
    }
    this.#spend(1);
    this.#at = end;
    return this.#passed("operand");
  }

  #comment(ending: RegExp): void {
    const start = this.#at;
    ending.lastIndex = start + 2;
    this.#at = ending.test(this.#source) ? ending.lastIndex : this.#source.length;
    this.#isNewLine ||= LINE_BREAK.test(this.#source.slice(start, this.#at));
  }

  /** Where the regular expression ends that starts here, -1 when none does. */
  #regularExpressionEnd(): number {
    let inClass = false;
    for (let at = this.#at + 1; at < this.#source.length; at += 1) {
      const character = this.#source.charAt(at);
      if (LINE_BREAK.test(character)) return -1;
      if (character === "\\") at += 1;
      else if (character === "[") inClass = true;
      else if (character === "]") inClass = false;
      else if (character === "/" && !inClass) return at + 1;
    }
    return -1;
  }

  /** `==`, `!==` and `<=` join two operands; `=`, `=>`, `!` and `<` alone put what follows one level deeper. */
  #comparison(character: string): void {
    const next = this.#next();
    if (character === "=" && next === ">") {
      this.#at += 1;
      return this.#punctuator(DEEPER, "statement");
    }
    if (character === "<" && next === "/") this.#endTag();
    else this.#spend(next === "=" || character === ">" ? 1 : DEEPER);
    while (this.#next() === "=") this.#at += 1;
    return this.#punctuator(0, character === ">" ? "operand" : "operator");
  }

  /** JSX: `</a>` and `/>` take back what the tag has cost. */
  #endTag(): void {
    this.#spend(-Math.min(DEEPER, this.#level.cost));
  }
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** Letters, digits, `$`, `_`, `#`, backslash, and all that is not ASCII, except line breaks. */
function isWordCode(code: number): boolean {
  if (code >= 97 && code <= 122) return true;
  if (code >= 128) return code !== 0x20_28 && code !== 0x20_29;
  return (
    (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 36 || code === 35 || code === 92
  );
}
