// Reads a pattern into a tree, in the order of V8's parser, so that of several mistakes the same one is
// reported. Open groups are kept on a list of our own rather than on the host's stack.
import { closeOverSimpleCase } from "../unicode/case-folding.ts";
import { ALL_CODE_POINTS, complement, sizeOf } from "../unicode/code-point-set.ts";
import { LINE_TERMINATORS, parseClassEscape, type ClassValue } from "./class-escapes.ts";
import type { RegExpFlags } from "./flags.ts";
import { countGroupsAhead, readGroupName } from "./group-names.ts";
import { CAPTURE_GROUPS_MAX } from "./limits.ts";
import { finishSet, parseClass } from "./parse-class.ts";
import { parseClassSet } from "./parse-class-set.ts";
import { closeBody, openGroup, type OpenGroup } from "./open-group.ts";
import { parseCharacterEscape, parseOctal } from "./parse-escape.ts";
import { code, END, isDigit, PatternReader } from "./pattern-reader.ts";
import { readInterval, readQuantifier } from "./quantifier-bounds.ts";
import * as tree from "./syntax-tree.ts";
import type { GroupSpan, PatternNode } from "./syntax-tree.ts";

export interface Pattern {
  readonly tree: PatternNode;
  /** Capture groups, the whole match included. */
  readonly groupCount: number;
  readonly groupsByName: ReadonlyMap<string, number>;
}

export function parsePattern(source: string, flags: RegExpFlags): Pattern {
  return new PatternParser(source, flags).parse();
}

const NO_GROUPS: GroupSpan = { first: 0, end: 0 };

class PatternParser {
  readonly #reader: PatternReader;
  readonly #flags: RegExpFlags;
  readonly #open: OpenGroup[] = [];
  #group: OpenGroup = openGroup("whole", 0);
  readonly #groupsByName = new Map<string, number>();
  readonly #referredNames: string[] = [];
  #captures = 0;
  /** Of the whole pattern; counted when an escape may refer to a later group. */
  #capturesInAll: number | undefined;
  #hasNamedGroups = false;
  /** Groups inside the atom just read, for a quantifier after it. */
  #lastGroups = NO_GROUPS;
  /** The atom just read is empty: it takes a quantifier and adds nothing. */
  #isEmptyPending = false;

  constructor(source: string, flags: RegExpFlags) {
    this.#reader = new PatternReader(source, flags);
    this.#flags = flags;
  }

  parse(): Pattern {
    while (this.#reader.current !== END) {
      this.#lastGroups = NO_GROUPS;
      if (this.#parseTerm()) this.#parseQuantifier();
    }
    if (this.#open.length > 0) this.#reader.fail("Unterminated group");
    for (const name of this.#referredNames) {
      if (!this.#groupsByName.has(name)) this.#reader.fail("Invalid named capture referenced");
    }
    return { tree: closeBody(this.#group), groupCount: this.#captures + 1, groupsByName: this.#groupsByName };
  }

  /** True if a quantifier may follow. */
  #parseTerm(): boolean {
    const reader = this.#reader;
    switch (reader.current) {
      case code(")"):
        return this.#closeGroup();
      case code("|"):
        reader.advance();
        this.#group.alternatives.push(tree.sequence(this.#group.terms));
        this.#group.terms = [];
        return false;
      case code("*"):
      case code("+"):
      case code("?"):
        return reader.fail("Nothing to repeat");
      case code("^"):
        return this.#addAssertion(this.#flags.multiline ? "lineStart" : "start", 1);
      case code("$"):
        return this.#addAssertion(this.#flags.multiline ? "lineEnd" : "end", 1);
      case code("."):
        reader.advance();
        return this.#add(tree.setNode(this.#flags.dotAll ? ALL_CODE_POINTS : complement(LINE_TERMINATORS)));
      case code("("):
        return this.#openGroup();
      case code("["):
        return this.#add(this.#parseClass());
      case code("\\"):
        return this.#parseEscape();
      case code("{"):
        if (readInterval(reader) !== undefined) reader.fail("Nothing to repeat");
        return this.#parseBracket();
      case code("}"):
      case code("]"):
        return this.#parseBracket();
      default:
        return this.#addCurrent();
    }
  }

  #parseBracket(): boolean {
    if (this.#reader.isUnicodeMode) this.#reader.fail("Lone quantifier brackets");
    return this.#addCurrent();
  }

  #addCurrent(): boolean {
    const codePoint = this.#reader.current;
    this.#reader.advance();
    return this.#addCharacter(codePoint);
  }

  #addCharacter(codePoint: number): true {
    const { ignoreCase, isUnicodeMode } = this.#flags;
    // V8 counts two units for all that it turns into a class.
    const isWide = codePoint >= 0xd800 && (codePoint <= 0xdfff || codePoint > 0xffff);
    const isTwo = isWide || (ignoreCase && sizeOf(closeOverSimpleCase([codePoint, codePoint])) > 1);
    return this.#add(tree.character(codePoint, isUnicodeMode && isTwo ? 2 : 1));
  }

  #add(node: PatternNode): true {
    this.#isEmptyPending = node.kind === "empty";
    if (node.kind !== "empty") this.#group.terms.push(node);
    return true;
  }

  #addAssertion(kind: tree.Assertion, length: number): false {
    this.#reader.advance(length);
    this.#group.terms.push(tree.assertion(kind));
    return false;
  }

  #parseQuantifier(): void {
    const bounds = readQuantifier(this.#reader);
    if (bounds === undefined) return;
    const isLazy = this.#reader.current === code("?");
    if (isLazy) this.#reader.advance();
    const { terms } = this.#group;
    const atom = terms.at(-1);
    if (this.#isEmptyPending || atom === undefined) return;
    if (atom.kind === "look" && (this.#flags.isUnicodeMode || atom.isBehind)) this.#reader.fail("Invalid quantifier");
    if (atom.maxLength > 0) {
      terms[terms.length - 1] = tree.quantifier(atom, bounds.min, bounds.max, isLazy, this.#lastGroups);
    } else if (bounds.min === 0) {
      // An atom that consumes nothing is never repeated: the second time could do no more than the first.
      terms.pop();
    }
  }

  #openGroup(): false {
    const reader = this.#reader;
    reader.checkNesting(this.#open.length + 1);
    const opening = this.#readOpening();
    let name: string | undefined;
    if (opening.kind === "capture") {
      if (this.#captures >= CAPTURE_GROUPS_MAX) reader.fail("Too many captures");
      this.#captures++;
      if (opening.isNamed) name = readGroupName(reader);
    }
    this.#open.push(this.#group);
    this.#group = openGroup(opening.kind, this.#captures, name, opening.isBehind, opening.isNegative);
    return false;
  }

  /** From the parenthesis up to the body, or to the name. */
  #readOpening(): { kind: "capture" | "plain" | "look"; isNamed?: true; isBehind?: boolean; isNegative?: boolean } {
    const reader = this.#reader;
    reader.advance();
    if (reader.current !== code("?")) return { kind: "capture" };
    const letter = reader.peek();
    if (letter === code(":") || letter === code("=") || letter === code("!")) {
      reader.advance(2);
      return letter === code(":") ? { kind: "plain" } : { kind: "look", isNegative: letter === code("!") };
    }
    if (letter !== code("<")) reader.fail("Invalid group");
    reader.advance();
    const sign = reader.peek();
    if (sign === code("=") || sign === code("!")) {
      reader.advance(2);
      return { kind: "look", isBehind: true, isNegative: sign === code("!") };
    }
    this.#hasNamedGroups = true;
    reader.advance();
    return { kind: "capture", isNamed: true };
  }

  #closeGroup(): true {
    const { kind, group, name, isBehind, isNegative } = this.#group;
    const outer = this.#open.pop();
    if (outer === undefined) return this.#reader.fail("Unmatched ')'");
    this.#reader.advance();
    const body = closeBody(this.#group);
    if (name !== undefined) {
      if (this.#groupsByName.has(name)) this.#reader.fail("Duplicate capture group name");
      this.#groupsByName.set(name, group);
    }
    this.#group = outer;
    const groups: GroupSpan = { first: kind === "capture" ? group : group + 1, end: this.#captures + 1 };
    this.#lastGroups = groups;
    if (kind === "capture") return this.#add(tree.capture(group, body));
    return this.#add(kind === "look" ? tree.look(body, isBehind, isNegative, groups) : tree.plainGroup(body));
  }

  #parseClass(): PatternNode {
    if (this.#flags.unicodeSets) return nodeOf(parseClassSet(this.#reader));
    return tree.setNode(parseClass(this.#reader, () => this.#findNamedGroups(true)));
  }

  #parseEscape(): boolean {
    const reader = this.#reader;
    const letter = reader.peek();
    if (letter === END) reader.fail("\\ at end of pattern");
    if (letter === code("0")) return this.#parseOctal();
    if (isDigit(letter)) return this.#parseNumber(letter);
    if (letter === code("b") || letter === code("B")) {
      return this.#addAssertion(letter === code("b") ? "boundary" : "noBoundary", 2);
    }
    const value = parseClassEscape(reader, false);
    if (value !== undefined) return this.#add(this.#escapedClass(value));
    if (letter === code("k") && (reader.isUnicodeMode || this.#findNamedGroups(false)))
      return this.#parseNamedReference();
    const context = { isInClass: false, hasNamedGroups: () => this.#findNamedGroups(false) };
    return this.#addCharacter(parseCharacterEscape(reader, context));
  }

  #escapedClass(value: ClassValue): PatternNode {
    if (value.strings.size === 0) return tree.setNode(finishSet(this.#reader, value.set, false));
    const set = this.#flags.ignoreCase ? closeOverSimpleCase(value.set) : value.set;
    return nodeOf({ ...value, set });
  }

  #parseOctal(): true {
    this.#reader.advance();
    if (this.#reader.isUnicodeMode && isDigit(this.#reader.peek())) this.#reader.fail("Invalid decimal escape");
    return this.#addCharacter(parseOctal(this.#reader));
  }

  /** A reference if there are so many groups; otherwise an octal escape, or the digit itself. */
  #parseNumber(digit: number): true {
    const reader = this.#reader;
    const group = this.#readReference();
    if (group !== undefined) {
      const isInside = this.#isInside((open) => open.group === group);
      return this.#add(isInside ? tree.EMPTY : tree.reference(group));
    }
    if (reader.isUnicodeMode) reader.fail("Invalid escape");
    if (digit < code("8")) return this.#parseOctal();
    reader.advance(2);
    return this.#addCharacter(digit);
  }

  #readReference(): number | undefined {
    const reader = this.#reader;
    const start = reader.position;
    let group = 0;
    reader.advance();
    while (isDigit(reader.current) && group <= CAPTURE_GROUPS_MAX) {
      group = group * 10 + reader.current - code("0");
      reader.advance();
    }
    if (group <= CAPTURE_GROUPS_MAX && (group <= this.#captures || group <= this.#countCaptures(false))) return group;
    reader.reset(start);
    return undefined;
  }

  #parseNamedReference(): true {
    const reader = this.#reader;
    reader.advance(2);
    if (reader.current !== code("<")) reader.fail("Invalid named reference");
    reader.advance();
    const name = readGroupName(reader);
    if (this.#isInside((open) => open.name === name)) return this.#add(tree.EMPTY);
    this.#referredNames.push(name);
    return this.#add(tree.reference(name));
  }

  /** A reference from inside the group it means always matches the empty string. */
  #isInside(isMeant: (open: OpenGroup) => boolean): boolean {
    return [...this.#open, this.#group].some((open) => open.kind === "capture" && isMeant(open));
  }

  #findNamedGroups(isInClass: boolean): boolean {
    if (!this.#hasNamedGroups) this.#countCaptures(isInClass);
    return this.#hasNamedGroups;
  }

  #countCaptures(isInClass: boolean): number {
    if (this.#capturesInAll === undefined) {
      const { count, hasNames } = countGroupsAhead(this.#reader, isInClass);
      this.#capturesInAll = this.#captures + count;
      this.#hasNamedGroups ||= hasNames;
    }
    return this.#capturesInAll;
  }
}

function nodeOf({ set, strings, maxLength }: ClassValue): PatternNode {
  return tree.stringsNode(set, [...strings.values()], maxLength);
}
