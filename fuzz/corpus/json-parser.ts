import { action, workflow } from "cairnjs";

class ParseError extends SyntaxError {
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(`§${message} at ${position}`);
  }
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const fetchText = action("fetchText", async (name: string) => DOCUMENTS[name] ?? "");

const DOCUMENTS: Record<string, string> = {
  good: ' { "list" : [1, -2.5e3, 0, 1E-2, true, false, null], "text": "a\\"b\\\\c\\/\\u00e9\\ud83d\\ude00\\n", "nested": {"": {}, "k": [[]]} } ',
  deep: `${"[".repeat(60)}1${"]".repeat(60)}`,
  bad1: '{"a": 1,}',
  bad2: '["unfinished',
  bad3: "01",
  bad4: '{"a" 1}',
  bad5: "[1 2]",
  bad6: '"\\x"',
};

/** A recursive-descent parser whose state is a closure. */
function parser(text: string) {
  let at = 0;
  const fail = (message: string): never => {
    throw new ParseError(message, at);
  };
  const skip = (): void => {
    while (at < text.length && " \t\r\n".includes(text[at]!)) at++;
  };
  const expect = (character: string): void => {
    if (text[at] !== character) fail(`expected ${character} instead of ${text[at] ?? "the end"}`);
    at++;
  };
  const literal = <T extends Json>(word: string, value: T): T => {
    if (text.slice(at, at + word.length) !== word) fail("unknown word");
    at += word.length;
    return value;
  };
  const escapes: Record<string, string> = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    b: "\b",
    f: "\f",
    n: "\n",
    r: "\r",
    t: "\t",
  };
  const string = (): string => {
    expect('"');
    let result = "";
    for (;;) {
      const character = text[at++];
      switch (character) {
        case undefined:
          at--;
          return fail("unfinished text");
        case '"':
          return result;
        case "\\": {
          const escape = text[at++]!;
          if (escape === "u") {
            const digits = text.slice(at, (at += 4));
            if (!/^[0-9a-f]{4}$/i.test(digits)) fail("bad escape");
            result += String.fromCharCode(parseInt(digits, 16));
          } else result += escapes[escape] ?? fail("bad escape");
          break;
        }
        default:
          result += character;
      }
    }
  };
  const number = (): number => {
    const match = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/iy;
    match.lastIndex = at;
    const found = match.exec(text);
    if (found === null) return fail("not a value");
    at = match.lastIndex;
    return Number(found[0]);
  };
  const array = (): Json[] => {
    const items: Json[] = [];
    expect("[");
    skip();
    if (text[at] === "]") at++;
    else {
      do {
        items.push(value());
        skip();
      } while (text[at] === "," && ++at);
      expect("]");
    }
    return items;
  };
  const object = (): Json => {
    const result: { [key: string]: Json } = {};
    expect("{");
    skip();
    while (text[at] !== "}") {
      const key = (skip(), string());
      skip();
      expect(":");
      result[key] = value();
      skip();
      if (text[at] === ",") {
        at++;
        skip();
        if (text[at] === "}") fail("a comma too many");
      } else if (text[at] !== "}") fail("expected , or }");
    }
    at++;
    return result;
  };
  const value = (): Json => {
    skip();
    switch (text[at]) {
      case "{":
        return object();
      case "[":
        return array();
      case '"':
        return string();
      case "t":
        return literal("true", true);
      case "f":
        return literal("false", false);
      case "n":
        return literal("null", null);
      default:
        return number();
    }
  };
  return {
    document(): Json {
      const result = value();
      skip();
      if (at < text.length) fail("more than one value");
      return result;
    },
  };
}

export default workflow("parseJson", async () => {
  const results: Record<string, unknown> = {};
  for (const name of Object.keys(DOCUMENTS)) {
    const text = await fetchText(name);
    let own: unknown;
    try {
      own = parser(text).document();
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      own = { position: error.position, message: error.message };
    }
    let builtIn: unknown;
    try {
      builtIn = JSON.parse(text);
    } catch (error) {
      builtIn = error instanceof SyntaxError ? "SyntaxError" : error;
    }
    results[name] = { own, agrees: JSON.stringify(own) === JSON.stringify(builtIn) || builtIn === "SyntaxError" };
  }
  return results;
});
