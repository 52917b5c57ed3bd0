/** What a worker can run, here or at another control plane. */
export interface ServedNames {
  /** Of names of actions; an empty one is for all. */
  readonly prefixes: readonly string[];
  /** Of actions, and of workflows whose steps it has, these with a slash behind. */
  readonly names: ReadonlySet<string>;
}

/** The first part of a name, by which jobs are claimed. */
export function segmentOf(name: string): string {
  return name.split(".", 1)[0]!;
}

/** `type` is that of the run: its steps are `type/…`. */
export function canRun({ names }: ServedNames, action: string, type: string): boolean {
  return names.has(action) || (type !== "" && names.has(`${type}/`) && action.startsWith(`${type}/`));
}

export function servesPrefixOf({ prefixes }: ServedNames, action: string): boolean {
  return prefixes.some((prefix) => action === prefix || action.startsWith(whole(prefix)));
}

/** A first segment alone is that segment, and not whatever begins with its letters. */
function whole(prefix: string): string {
  return prefix === "" || prefix.includes(".") ? prefix : `${prefix}.`;
}

/** First segments that it may have jobs of; an empty one: of any. */
export function segmentsOf({ prefixes, names }: ServedNames): string[] {
  const segments = new Set<string>();
  for (const prefix of prefixes) segments.add(segmentOf(prefix));
  for (const name of names) segments.add(segmentOf(name));
  return [...segments];
}
