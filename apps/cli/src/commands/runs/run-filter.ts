import type { RunFilterBody } from "@cairnjs/schemas/rest";
import type { Query } from "../../rest/rest-client.ts";
import { jsonOf, listOf, momentOf as moment } from "../flag-values.ts";

/** Flags that choose runs. */
export interface RunFilterFlags {
  readonly type?: readonly string[];
  readonly status?: string;
  readonly phase?: string;
  readonly tag?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly parent?: string;
  readonly schedule?: string;
  readonly contains?: string;
  readonly search?: string;
  readonly deleted?: true;
}

/** As a list is asked. */
export function filterQuery(flags: RunFilterFlags): Query {
  const { type, status, phase, tag, parent, schedule, contains, search, deleted } = flags;
  const times = { since: moment("--since", flags.since), until: moment("--until", flags.until) };
  jsonOf("--contains", contains);
  return { type, status, phase, tag, ...times, parent, schedule, contains, search, deleted };
}

/** As an order for many is. Names that are none of a status or a phase are for the control plane to refuse. */
export function filterBody(flags: RunFilterFlags): RunFilterBody {
  const { type, status, phase, contains, ...others } = filterQuery(flags);
  const given = {
    ...others,
    type: (type as readonly string[] | undefined)?.flatMap((each) => listOf(each) ?? []),
    status: listOf(status as string | undefined),
    phase: listOf(phase as string | undefined),
    contains: jsonOf("--contains", contains as string | undefined),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export function isFiltered(flags: RunFilterFlags): boolean {
  return Object.values(filterQuery(flags)).some((value) => value !== undefined);
}
