import type { PreparedStart } from "./start.ts";

/** What one request takes. */
const RUNS_MAX = 10_000;
/** Well below what a control plane reads; one large start goes alone. */
const PART_BYTES_MAX = 16 * 1024 * 1024;

/** Starts in requests of bounded size, in their order. */
export async function* partsOf(starts: AsyncIterable<PreparedStart>): AsyncGenerator<readonly PreparedStart[], void> {
  let part: PreparedStart[] = [];
  let bytes = 0;
  for await (const start of starts) {
    // At most three bytes a unit of UTF-16: to count exactly would take as long as to send it.
    const size = start.open.length * 3;
    if (part.length === RUNS_MAX || (part.length > 0 && bytes + size > PART_BYTES_MAX)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(start);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
