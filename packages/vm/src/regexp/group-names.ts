// What the parser must know of groups before or beside reading them: their names, and how many follow.
import { isIdContinue, isIdStart } from "../unicode/properties.ts";
import { readUnicodeEscape } from "./parse-escape.ts";
import { code, END, type PatternReader } from "./pattern-reader.ts";

/** After the `<`. Names are identifiers, read by code points whatever the flags. */
export function readGroupName(reader: PatternReader): string {
  const name = reader.asUnicode(() => {
    let text = "";
    for (;;) {
      const letter = readNameLetter(reader);
      if (letter === code(">") && text !== "") return text;
      const isAllowed = text === "" ? isIdentifierStart(letter) : isIdentifierPart(letter);
      if (letter === END || !isAllowed) reader.fail("Invalid capture group name");
      text += String.fromCodePoint(letter);
    }
  });
  // The `>` is left for last, because what follows it is no longer read by code points.
  reader.advance();
  return name;
}

/** Leaves the reader on a `>`, and behind anything else. */
function readNameLetter(reader: PatternReader): number {
  const letter = reader.current;
  if (letter !== code("\\")) {
    if (letter !== code(">")) reader.advance();
    return letter;
  }
  if (reader.peek() !== code("u")) reader.fail("Invalid capture group name");
  reader.advance(2);
  const escaped = readUnicodeEscape(reader);
  if (escaped === undefined) reader.fail("Invalid Unicode escape");
  if (escaped === code(">") || escaped === code("\\")) reader.fail("Invalid capture group name");
  return escaped;
}

function isIdentifierStart(letter: number): boolean {
  return letter === code("$") || letter === code("_") || isIdStart(letter);
}

function isIdentifierPart(letter: number): boolean {
  return letter === code("$") || letter === 0x200c || letter === 0x200d || isIdContinue(letter);
}

interface GroupsAhead {
  readonly count: number;
  readonly hasNames: boolean;
}

/** Looks through the rest of the pattern, without judging it, and returns to where it was. */
export function countGroupsAhead(reader: PatternReader, isInClass: boolean): GroupsAhead {
  const start = reader.position;
  let count = 0;
  let hasNames = false;
  if (isInClass) skipClass(reader);
  while (reader.current !== END) {
    const letter = reader.current;
    reader.advance();
    if (letter === code("\\")) reader.advance();
    else if (letter === code("[")) skipClass(reader);
    else if (letter === code("(")) {
      const opening = readOpening(reader);
      if (opening !== "plain") count++;
      if (opening === "named") hasNames = true;
    }
  }
  reader.reset(start);
  return { count, hasNames };
}

function readOpening(reader: PatternReader): "plain" | "numbered" | "named" {
  if (reader.current !== code("?")) return "numbered";
  reader.advance();
  if (reader.current !== code("<")) return "plain";
  reader.advance();
  return reader.current === code("=") || reader.current === code("!") ? "plain" : "named";
}

function skipClass(reader: PatternReader): void {
  let depth = 0;
  while (reader.current !== END) {
    const letter = reader.current;
    reader.advance();
    if (letter === code("\\")) reader.advance();
    else if (letter === code("[") && reader.flags.unicodeSets) depth++;
    else if (letter === code("]") && depth-- === 0) return;
  }
}
