import type { Told } from "./test-live.ts";

/** Of some kinds of inputs: the event that tells of one stands next behind it. */
const TELLS_OF: ReadonlyMap<string, string> = new Map([
  ["start", "started"],
  ["fork", "started"],
  ["signal", "signalled"],
  ["cancel", "cancelling"],
  ["rollback", "rolled back"],
]);
/** Those of which an input always comes first; some of the others come of orders that no input was made of. */
const ALWAYS_CAUSED: ReadonlySet<string> = new Set(["started", "rolled back"]);

/**
 * What of a run does not stand where docs/live.md says: an input stands before the events that it causes. For runs that were not rolled back behind
 * a signal: they take it again, and nothing tells of that.
 */
export function misplacedIn(told: readonly Told[]): string[] {
  const misplaced: string[] = [];
  for (const [index, each] of told.entries()) {
    const wanted = eventOf(each);
    const next = told[index + 1];
    if (wanted !== undefined && next?.kind !== wanted) misplaced.push(`${nameOf(each)} before ${nameOf(next)}`);
    const before = told[index - 1];
    if (ALWAYS_CAUSED.has(each.kind) && eventOf(before) !== each.kind) {
      misplaced.push(`${nameOf(each)} behind ${nameOf(before)}`);
    }
  }
  return misplaced;
}

function eventOf(told: Told | undefined): string | undefined {
  return told?.kind === "step" ? TELLS_OF.get((told.data as { kind: string }).kind) : undefined;
}

function nameOf(told: Told | undefined): string {
  if (told?.kind !== "step") return told?.kind ?? "nothing";
  const { number, kind } = told.data as { number: number; kind: string };
  return `${number} ${kind}`;
}

/** Kinds of events, and numbers of inputs. */
export function placesOf(told: readonly Told[]): (string | number)[] {
  return told.map(({ kind, data }) => (kind === "step" ? (data as { number: number }).number : kind));
}
