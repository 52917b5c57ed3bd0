import type { Node } from "oxc-parser";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { Module } from "../link/module.ts";
import type { LinkedWorkflow } from "../link/reach.ts";
import type { Names, Unit } from "../resolution.ts";
import { checkCircles } from "./circles.ts";
import { sinkOf, type ConstantUse } from "./context.ts";
import { checkDeclarations, checkDurableDeclaration } from "./declarations.ts";
import { MutationCheck } from "./mutations.ts";
import { nodesOf } from "./uses.ts";
import { walk } from "./walk.ts";
import { checkWorkflowPlaces } from "./workflow-places.ts";

/** Reports everything under *Rejected* in the specification. One for a compilation. */
export class Checker {
  readonly #names: Names;
  readonly #diagnostics: DiagnosticList;
  readonly #mutations: MutationCheck;

  constructor(names: Names, diagnostics: DiagnosticList) {
    this.#names = names;
    this.#diagnostics = diagnostics;
    this.#mutations = new MutationCheck(names, diagnostics);
  }

  /** The actions, workflows and signals that the compiled module declares. */
  module(module: Module): void {
    checkDeclarations(module, this.#names, this.#diagnostics);
    this.#diagnostics.attribute(() => null);
  }

  /** All that one workflow consists of: `workflow(…)`, the body and what it can reach, dead code included. */
  workflow({ call, module, units }: LinkedWorkflow): void {
    const place = { module, names: this.#names, ...sinkOf(module, this.#diagnostics) };
    checkDurableDeclaration(call, module, place);
    this.#units(units);
    this.#mutations.check(units);
  }

  /** Workflows that the compiler does not look for; asked last, since what bodies do wrong is said of them. */
  misplaced(module: Module): void {
    checkWorkflowPlaces({ module, names: this.#names, ...sinkOf(module, this.#diagnostics) });
    this.#diagnostics.attribute(() => null);
  }

  #units(units: readonly Unit[]): void {
    const shared = { stepNames: new Map<string, Node>(), settled: new Set<Node>(), uses: [] as ConstantUse[] };
    for (const unit of units) {
      const { module } = unit;
      const evaluated = unit.role === "constant" ? (unit.global?.name ?? unit.name) : null;
      const context = { module, names: this.#names, ...sinkOf(module, this.#diagnostics), evaluated, ...shared };
      for (const node of nodesOf(unit)) walk(node, { ...context, unit: { ...unit, node } });
    }
    checkCircles(shared.uses);
  }
}
