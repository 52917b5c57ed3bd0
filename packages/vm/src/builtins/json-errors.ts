import { type HostContext, throwError } from "../machine/host.ts";

/** How many units of the text V8 shows on each side of an unexpected one. */
const CONTEXT_LENGTH = 10;

/** Texts that come of values which are no JSON text at all; V8 names them instead of a position. */
const NO_TEXTS = new Set(["[object Object]", "NaN", "Infinity", "undefined"]);

/** The SyntaxErrors of `JSON.parse`, in Node 20's words. */
export class JsonErrors {
  private readonly context: HostContext;
  private readonly text: string;

  constructor(context: HostContext, text: string) {
    this.context = context;
    this.text = text;
  }

  /** A unit that starts nothing, or the end. */
  unexpected(at: number): never {
    const { text } = this;
    const character = text.charAt(at);
    if (character === "") this.fail("Unexpected end of JSON input");
    if (character === '"') this.failAt("Unexpected string in JSON", at);
    if (character === "-" || (character >= "0" && character <= "9")) this.failAt("Unexpected number in JSON", at);
    if (NO_TEXTS.has(text)) this.fail(`"${text}" is not valid JSON`);
    const head = `Unexpected token '${character}', `;
    const tail = " is not valid JSON";
    if (text.length <= 2 * CONTEXT_LENGTH) this.fail(`${head}"${text}"${tail}`);
    const atStart = at < CONTEXT_LENGTH;
    const atEnd = !atStart && at >= text.length - CONTEXT_LENGTH;
    const shown = text.slice(atStart ? 0 : at - CONTEXT_LENGTH, atEnd ? text.length : at + CONTEXT_LENGTH);
    this.fail(`${head}${atStart ? "" : "..."}"${shown}"${atEnd ? "" : "..."}${tail}`);
  }

  afterEnd(at: number): never {
    this.failAt("Unexpected non-whitespace character after JSON", at);
  }

  expectedName(at: number): never {
    this.failAt("Expected property name or '}' in JSON", at);
  }

  expectedQuotedName(at: number): never {
    this.failAt("Expected double-quoted property name in JSON", at);
  }

  expectedColon(at: number): never {
    this.failAt("Expected ':' after property name in JSON", at);
  }

  expectedCommaInArray(at: number): never {
    this.failAt("Expected ',' or ']' after array element in JSON", at);
  }

  expectedCommaInObject(at: number): never {
    this.failAt("Expected ',' or '}' after property value in JSON", at);
  }

  controlCharacter(at: number): never {
    this.failAt("Bad control character in string literal in JSON", at);
  }

  unterminatedString(at: number): never {
    this.failAt("Unterminated string in JSON", at);
  }

  badEscape(at: number): never {
    this.failAt("Bad escaped character in JSON", at);
  }

  badUnicodeEscape(at: number): never {
    this.failAt("Bad Unicode escape in JSON", at);
  }

  noNumberAfterMinus(at: number): never {
    this.failAt("No number after minus sign in JSON", at);
  }

  unterminatedFraction(at: number): never {
    this.failAt("Unterminated fractional number in JSON", at);
  }

  exponentMissing(at: number): never {
    this.failAt("Exponent part is missing a number in JSON", at);
  }

  private failAt(what: string, at: number): never {
    this.fail(`${what} at position ${at}`);
  }

  private fail(message: string): never {
    throwError(this.context, "SyntaxError", message);
  }
}
