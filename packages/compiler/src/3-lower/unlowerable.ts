import type { Node } from "oxc-parser";

/**
 * Syntax that no visitor lowers. The checks report all of it before; this is the net below them, so that a gap
 * there ends in a diagnostic and never in a program that lacks something.
 */
export class Unlowerable extends Error {
  override readonly name = "Unlowerable";
  readonly node: Node;

  constructor(node: Node, what: string = node.type) {
    super(what);
    this.node = node;
  }
}
