import type { RunStatusName } from "@cairnjs/schemas";
import type { RunPhase } from "@cairnjs/schemas/rest";
import { beginningIn } from "../name-pattern.ts";

/** Which runs. Null: whatever it is. */
export interface RunFilter {
  /** Types, or beginnings of types before a star: one of them. */
  readonly types: readonly string[] | null;
  readonly statuses: readonly RunStatusName[] | null;
  readonly phases: readonly RunPhase[] | null;
  /** All of them. */
  readonly tags: readonly string[] | null;
  /** Started at this time or later, and before the other. */
  readonly since: Date | null;
  readonly until: Date | null;
  /** Those that this one waits for. */
  readonly parent: string | null;
  /** The name of the schedule that has started them. */
  readonly schedule: string | null;
  /** JSON that the payload contains, as `jsonb` means it. */
  readonly contains: string | null;
  /** A text in payload, result, error or last error. */
  readonly search: string | null;
  /** Those that were deleted, and no others; else none of them. */
  readonly deleted: boolean;
}

export const ANY_RUN: RunFilter = {
  types: null,
  statuses: null,
  phases: null,
  tags: null,
  since: null,
  until: null,
  parent: null,
  schedule: null,
  contains: null,
  search: null,
  deleted: false,
};

/** The values of a statement that is made as it goes. */
export class Parameters {
  readonly values: unknown[] = [];

  /** What stands for it in the statement. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

const ALIVE: readonly RunStatusName[] = ["pending", "leased"];

export function aliveOf(statuses: readonly RunStatusName[] | null): readonly RunStatusName[] {
  return statuses?.filter((status) => ALIVE.includes(status)) ?? [];
}

export function endedOf(statuses: readonly RunStatusName[] | null): readonly RunStatusName[] {
  return statuses?.filter((status) => !ALIVE.includes(status)) ?? [];
}

/** What a run `r` of the view must be, as far as its values are not looked at. */
export function plainConditions(filter: RunFilter, namespace: string, parameters: Parameters): string[] {
  const { statuses, phases, tags, since, until, parent, schedule, types, deleted } = filter;
  const one = (value: unknown): string => parameters.add(value);
  return [
    `r.namespace = ${one(namespace)}`,
    `r.deleted_at IS ${deleted ? "NOT NULL" : "NULL"}`,
    ...(types === null ? [] : [isOfType("r.type", types, parameters)]),
    ...(statuses === null ? [] : [isOneOf("r.status", statuses)]),
    ...(phases === null ? [] : [isOneOf("r.phase", phases)]),
    ...(tags === null ? [] : [`r.tags @> ${one(tags)}::text[]`]),
    ...(since === null ? [] : [`r.created_at >= ${one(since)}`]),
    ...(until === null ? [] : [`r.created_at < ${one(until)}`]),
    ...(parent === null ? [] : [`r.parent = ${one(parent)}`]),
    ...(schedule === null ? [] : [`r.schedule = ${one(schedule)}`]),
  ];
}

/** What the values of a run `r` must be. */
export function contentConditions({ contains, search }: RunFilter, parameters: Parameters): string[] {
  const conditions: string[] = [];
  if (contains !== null) conditions.push(`cairn.contains_json(r.payload, ${parameters.add(contains)}::jsonb)`);
  if (search !== null) {
    // In values a text stands as JSON writes it. What is a small letter is for the database to say, on both sides.
    const written = `lower(${parameters.add(JSON.stringify(search).slice(1, -1))}::text)`;
    const plain = `lower(${parameters.add(search)}::text)`;
    const values = ["payload", "result", "error"].map((column) => `strpos(lower(r.${column}::text), ${written}) > 0`);
    conditions.push(`(${[...values, `strpos(lower(r.last_error), ${plain}) > 0`].join(" OR ")})`);
  }
  return conditions;
}

/** Ids are of the day before the start, or of the hour after it, so they bound what is looked at. */
export function idRange({ since, until }: RunFilter, column: string, parameters: Parameters): string[] {
  const from = (time: Date | number | string, shift: string): string =>
    `cairn.id_from_time(${parameters.add(time)}::timestamptz ${shift})`;
  return [
    ...(since === null ? [] : [`${column} >= ${from(since, "- interval '1 day'")}`]),
    ...(until === null ? [] : [`${column} < ${from(until, "+ interval '1 hour'")}`]),
  ];
}

/** A type, or one with such a beginning. */
export function isOfType(column: string, patterns: readonly string[], parameters: Parameters): string {
  const [exact, beginnings] = splitPatterns(patterns);
  const conditions = [
    ...(exact.length === 0 ? [] : [`${column} = ANY (${parameters.add(exact)}::text[])`]),
    ...beginnings.map((beginning) => `starts_with(${column}, ${parameters.add(beginning)})`),
  ];
  return `(${conditions.join(" OR ")})`;
}

/** Whole types, and beginnings without their star. */
export function splitPatterns(patterns: readonly string[]): [exact: string[], beginnings: string[]] {
  return [
    patterns.filter((pattern) => beginningIn(pattern) === null),
    patterns.map(beginningIn).filter((beginning) => beginning !== null),
  ];
}

/** Of names that were checked; in the text, since an index is for some of them. */
function isOneOf(column: string, names: readonly string[]): string {
  return names.length === 0 ? "false" : `${column} IN (${names.map((name) => `'${name}'`).join(", ")})`;
}
