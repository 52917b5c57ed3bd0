import type { RunSummaryView } from "../store/find-runs.ts";
import { ANY_RUN, type RunFilter } from "../store/run-filter.ts";
import { checkInteger, checkNames, checkText, refuse } from "./start-options.ts";

type Status = RunSummaryView["status"];

/** Which runs are listed. */
export interface RunsFilter {
  readonly type?: string;
  readonly status?: Status | readonly Status[];
  readonly limit?: number;
}

const KNOWN = new Set(["type", "status", "limit"]);
const STATUSES: readonly Status[] = ["pending", "leased", "succeeded", "failed", "cancelled"];
const TYPE_LENGTH_MAX = 500;
const LIMIT = 100;
const LIMIT_MAX = 10_000;

/** Throws an EngineError that says what is wrong with the filter, if anything is. */
export function checkedFilter(filter: RunsFilter): RunFilter & { readonly limit: number } {
  checkNames("runs()", filter, KNOWN);
  const { type, status, limit = LIMIT } = filter;
  if (type !== undefined) checkText("type", type, 1, TYPE_LENGTH_MAX);
  checkInteger("limit", limit, 1, LIMIT_MAX);
  const statuses = status === undefined ? null : [status].flat();
  for (const each of statuses ?? []) {
    if (!STATUSES.includes(each))
      refuse(`There is no status ${JSON.stringify(each)}: there are ${STATUSES.join(", ")}`);
  }
  return { ...ANY_RUN, types: type === undefined ? null : [type], statuses, limit };
}
