import type { Query } from "../../rest/rest-client.ts";
import { momentOf as moment } from "../flag-values.ts";

/** Flags that choose runs. */
export interface RunFilterFlags {
  readonly type?: string;
  readonly status?: string;
  readonly phase?: string;
  readonly tag?: string;
  readonly since?: string;
  readonly until?: string;
}

export function filterQuery({ type, status, phase, tag, since, until }: RunFilterFlags): Query {
  return { type, status, phase, tag, since: moment("--since", since), until: moment("--until", until) };
}
