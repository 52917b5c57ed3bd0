import type { DurableKind } from "@cairnjs/ir";
import type {
  ArrowFunctionExpression,
  CallExpression,
  Class,
  Expression,
  Function,
  Node,
  TSEnumDeclaration,
} from "oxc-parser";
import type { Module } from "./link/module.ts";
import type { Binding } from "./scope/binding.ts";

/** What a name in a body or helper stands for. */
export type Resolution =
  | { readonly kind: "local"; readonly binding: Binding }
  | { readonly kind: "global"; readonly global: Global }
  | {
      readonly kind: "durable";
      readonly durable: DurableKind;
      /** As in `Durable`: "" for sleep, compensate and the function `signal` itself. */
      readonly name: string;
      /** `action(…)`, `workflow(…)` or `signal(…)`, where it was declared; null for the primitives themselves. */
      readonly declaration: CallExpression | null;
      /** The module of `declaration`. */
      readonly module: Module | null;
    }
  | { readonly kind: "primitive"; readonly name: PrimitiveName }
  /** Enum member. */
  | { readonly kind: "value"; readonly value: string | number }
  /** `Math`, `undefined`, `NaN`; whether the path is a supported built-in is not looked at here. */
  | { readonly kind: "intrinsic"; readonly path: string }
  /** `import * as lib`: only `lib.name` means something. The module is null for `cairnjs`. */
  | { readonly kind: "namespace"; readonly specifier: string; readonly module: Module | null }
  | {
      readonly kind: "unknown";
      readonly name: string;
      readonly why: UnknownReason;
      /** For "module": one that was read and has errors. */
      readonly broken: Module | null;
    };

/** A module-level declaration that a workflow uses. */
export interface Global {
  readonly module: Module;
  /** As declared: `RATES`; `default` for an anonymous default export. */
  readonly name: string;
  readonly what: "constant" | "helper" | "class" | "enum";
  /** For helpers. */
  readonly async: boolean;
  /** null for an anonymous default export. */
  readonly binding: Binding | null;
  readonly declaration: GlobalDeclaration;
}

/** What is evaluated to set the global: function, class, enum(s), or the initialiser of a constant. */
type GlobalDeclaration =
  | { readonly kind: "function"; readonly node: Function | ArrowFunctionExpression }
  | { readonly kind: "class"; readonly node: Class }
  | { readonly kind: "enum"; readonly nodes: readonly TSEnumDeclaration[] }
  /** `pattern` is the declared name or destructuring pattern, null for `export default <expression>`. */
  | { readonly kind: "constant"; readonly pattern: Node | null; readonly init: Expression };

export const primitiveNames = [
  "emit",
  "progress",
  "runInfo",
  "mapLimit",
  "step",
  "action",
  "workflow",
  "ActionTimeout",
  "ActionCancelled",
  "RunCancelled",
  "SignalTimeout",
  "NoHandlerRegistered",
  "NotStorable",
  "StepChanged",
  "InvalidInput",
  "InvalidOutput",
] as const;

export type PrimitiveName = (typeof primitiveNames)[number];

export type UnknownReason =
  /** Declared nowhere, and no name of JavaScript's either. */
  | "undeclared"
  /** Imported from a package, which is not followed. */
  | "package"
  /** The file of an import cannot be read, or not be understood. */
  | "module"
  /** Imported from a JSON file, which is no module of a program. */
  | "json"
  /** The module exists and has no such export. */
  | "export"
  /** A name of `cairnjs` that has no meaning in a body. */
  | "cairn"
  /** `declare const x`. */
  | "ambient"
  /** The name given to action, workflow or signal is not a string known at compile time. */
  | "name"
  /** A TypeScript namespace, or `import x = require()`. */
  | "declaration"
  /** A member that the enum lacks, or whose value only a run could tell. */
  | "enum"
  /** `var x;` or `let x;` at module level: nothing to capture. */
  | "uninitialised"
  /** Constants that name each other in a circle. */
  | "circle";

/** A piece of code that belongs to a workflow: its body, and every helper, constant and class that it can reach. */
export interface Unit {
  readonly role: "body" | "helper" | "constant" | "class" | "enum";
  /** First part of node ids in it. */
  readonly name: string;
  readonly module: Module;
  /** Function, class, enum declaration or initialiser expression. */
  readonly node: Node;
  /** null for the body. */
  readonly global: Global | null;
  /** The name in the body that leads here, perhaps through other units; null for the body itself. */
  readonly usedAt: UnitUse | null;
}

export interface UnitUse {
  readonly module: Module;
  readonly node: Node;
}

/** What the checks and the lowering ask about names. */
export interface Names {
  /**
   * An identifier, or a member expression of an import namespace or enum (`lib.charge`, `Color.Red`); null for any
   * other expression, `Math.max` included (ask for its object).
   */
  resolve(module: Module, node: Node): Resolution | null;
  /**
   * Whether the node is code that the workflow does not run: the arrow given to `step`, and what is given to
   * `action`, `workflow` or `signal` in a table.
   */
  isOpaque(module: Module, node: Node): boolean;
  /** Local variables that the arrow of a `step` uses, in order of first use. */
  stepCaptures(module: Module, arrow: Node): readonly Binding[];
}
