import type { Node } from "oxc-parser";
import { children } from "../1-parse/children.ts";
import { erase, isTypeOnly } from "../1-parse/erase.ts";
import type { Register } from "./code.ts";
import { literalOf, loadLiteral, type LiteralValue } from "./expression/literal-value.ts";
import type { FunctionLowering } from "./function-lowering.ts";

/** Each costs a register of the frame, so only a few. */
const PINNED_MAX = 16;

/**
 * Numbers and strings that operators use inside a loop are loaded once, in front of the outermost loop. In
 * `s = (s + i * 2) % 1000003` that saves two of eight instructions in each iteration. Not in loops that await:
 * there the time goes elsewhere, and the registers would be in every snapshot.
 */
export class PinnedLiterals {
  readonly #f: FunctionLowering;
  #registers: Map<LiteralValue, Register> | null = null;

  constructor(f: FunctionLowering) {
    this.#f = f;
  }

  around(loop: Node, body: () => void): void {
    if (this.#registers !== null) return body();
    const found = new Set<LiteralValue>();
    if (!collect(loop, found)) found.clear();
    this.#registers = new Map();
    for (const literal of [...found].slice(0, PINNED_MAX)) {
      this.#registers.set(literal, loadLiteral(this.#f, literal));
    }
    body();
    this.#registers = null;
  }

  find(literal: LiteralValue): Register | undefined {
    return this.#registers?.get(literal);
  }
}

/** Adds the literals of the code; false when it awaits. */
function collect(node: Node, found: Set<LiteralValue>): boolean {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return true;
    case "AwaitExpression":
      return false;
    case "BinaryExpression":
      add(node.left, found);
      add(node.right, found);
      break;
    case "AssignmentExpression":
      if (node.operator !== "=") add(node.right, found);
      break;
  }
  return isTypeOnly(node) || children(node).every((child) => collect(child, found));
}

function add(node: Node, found: Set<LiteralValue>): void {
  const literal = literalOf(erase(node));
  if ((typeof literal === "number" && !Object.is(literal, -0)) || typeof literal === "string") found.add(literal);
}
