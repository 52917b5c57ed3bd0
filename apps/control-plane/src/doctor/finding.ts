/** What was found out about one thing. */
export interface Finding {
  /** What was looked at: a stable name. */
  readonly check: string;
  readonly state: "ok" | "warning" | "problem";
  /** One line. */
  readonly says: string;
  /** What it is about, one by one; not all if there are many. */
  readonly details: readonly string[];
}

export function ok(check: string, says: string): Finding {
  return { check, state: "ok", says, details: [] };
}

export function warning(check: string, says: string, details: readonly string[] = []): Finding {
  return { check, state: "warning", says, details };
}

export function problem(check: string, says: string, details: readonly string[] = []): Finding {
  return { check, state: "problem", says, details };
}

export function counted(count: number, one: string, several: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
