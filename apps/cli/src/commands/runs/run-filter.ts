import type { Query } from "../../rest/rest-client.ts";
import { timeGiven } from "../../output/times.ts";
import { UsageMistake } from "../../usage-mistake.ts";

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

function moment(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = timeGiven(text, Date.now());
  if (time === null) throw new UsageMistake(`${flag} is a time such as 2h or 2026-11-15T21:30:00Z, not "${text}"`);
  return time;
}
