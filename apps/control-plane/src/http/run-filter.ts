import type { RunFilterBody, RunFilterQuery } from "@cairnjs/schemas/rest";
import { ANY_RUN, type RunFilter } from "../store/run-filter.ts";

/** What a query or a body says, as the store takes it. */
export function filterOf(said: RunFilterQuery | RunFilterBody): RunFilter {
  const { type, status, phase, tag, since, until, parent, schedule, search, deleted } = said;
  return {
    ...ANY_RUN,
    types: type ?? null,
    statuses: status ?? null,
    phases: phase ?? null,
    tags: tag ?? null,
    since: since === undefined ? null : new Date(since),
    until: until === undefined ? null : new Date(until),
    parent: parent ?? null,
    schedule: schedule ?? null,
    contains: said.contains === undefined ? null : JSON.stringify(said.contains),
    search: search ?? null,
    deleted: deleted ?? false,
  };
}
