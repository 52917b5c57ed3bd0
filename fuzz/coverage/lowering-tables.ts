import { visitorKeys } from "oxc-parser";

/** The compiler's own tables: what it accepts, and what it has a visitor for. */
export interface LoweringTables {
  readonly visitors: readonly string[];
  /** Kinds that are lowered otherwise when nobody wants their value. */
  readonly effects: readonly string[];
  readonly accepted: readonly string[];
}

interface VisitorsModule {
  readonly expressionVisitors: object;
  readonly effectVisitors: object;
  readonly statementVisitors: object;
}

interface AcceptedModule {
  dispositionOf(node: { readonly type: string }): string;
}

/**
 * Read from the compiler's modules themselves, built or not, since they are no part of its public face: the
 * coverage must follow the tables without anybody keeping a copy.
 */
export async function loweringTables(): Promise<LoweringTables> {
  const isSource = import.meta.url.endsWith(".ts");
  const home = new URL(isSource ? "../../packages/compiler/src/" : "../../../packages/compiler/dist/", import.meta.url);
  const ending = isSource ? ".ts" : ".js";
  const visitors = (await import(new URL(`3-lower/visitors${ending}`, home).href)) as VisitorsModule;
  const accepted = (await import(new URL(`2-analyze/check/accepted${ending}`, home).href)) as AcceptedModule;
  return {
    visitors: [...Object.keys(visitors.expressionVisitors), ...Object.keys(visitors.statementVisitors)],
    effects: Object.keys(visitors.effectVisitors),
    accepted: Object.keys(visitorKeys).filter((type) => accepted.dispositionOf({ type }) === "accepted"),
  };
}
