import type { Node } from "oxc-parser";

/** One declared name. */
export interface Binding {
  readonly name: string;
  readonly kind: BindingKind;
  readonly scope: Scope;
  /** The node that declares it: declarator, function, class, enum, import specifier, parameter, catch clause. */
  readonly declaration: Node;
  /** Further declarations of the same name: `var` twice, merged enums, functions that replace each other. */
  readonly redeclarations: Node[];
  /** From this offset to the end of the declaring pattern, and from `readyAfter` on, it is initialised. */
  readonly readyInPattern: number;
  readonly patternEnd: number;
  readonly readyAfter: number;
  readonly references: Reference[];
  /** Offsets of those that write, in order of the source. */
  readonly writes: number[];
  /** A closure uses it, so that it lives in a cell. */
  captured: boolean;
  /** Some reference may meet it uninitialised. */
  checked: boolean;
}

export type BindingKind =
  | "var"
  | "let"
  | "const"
  | "parameter"
  | "catch"
  | "function"
  | "class"
  | "enum"
  | "namespace"
  | "import"
  /** Declared with `declare`: the value exists elsewhere, if at all. */
  | "ambient"
  /** The name of a function expression, inside it. */
  | "self"
  | "this";

export type ScopeKind =
  | "module"
  | "parameters"
  | "body"
  | "block"
  | "loop"
  | "switch"
  | "catch"
  | "class"
  | "self"
  | "enum";

export interface Scope {
  readonly kind: ScopeKind;
  readonly node: Node;
  readonly parent: Scope | null;
  readonly frame: Frame;
  readonly bindings: Map<string, Binding>;
  /** One list for the whole module. */
  readonly clashes: Clash[];
}

/** A declaration of a name that its scope has already, in a way that no engine accepts. */
export interface Clash {
  readonly name: string;
  readonly declaration: Node;
}

/** A function, or the module's top level: what has registers of its own at run time. */
export interface Frame {
  readonly node: Node;
  readonly parent: Frame | null;
  readonly kind: "module" | "function" | "arrow" | "method" | "constructor";
  /** The frame's `this` as a variable, when arrows inside use it. */
  thisBinding: Binding | null;
}

export interface Reference {
  readonly node: Node;
  readonly name: string;
  /** null: declared nowhere in the module. */
  readonly binding: Binding | null;
  readonly scope: Scope;
  /** `init`: the declaration's own write. */
  readonly access: "read" | "write" | "readwrite" | "init";
}
