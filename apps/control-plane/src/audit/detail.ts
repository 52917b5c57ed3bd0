const LENGTH_MAX = 4_000;

/** What was said with something that is written down, as JSON; if that is long, its beginning. */
export function detailText(said: object): string {
  const text = JSON.stringify(said);
  return text.length <= LENGTH_MAX ? text : JSON.stringify({ truncated: text.slice(0, LENGTH_MAX) });
}
