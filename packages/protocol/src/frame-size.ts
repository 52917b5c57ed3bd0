import { BATCH_MAX, FRAME_BYTES_MAX } from "@cairnjs/schemas";

/** A frame has at most five lists. A call that is sent alone fits too: it has at most three values of 256 KB, and ten secrets of 16. */
const LIST_BYTES_MAX = FRAME_BYTES_MAX / 5;

/** A list of what a frame of `Work` has lists of, split into lists that fit into a frame each, in order. */
export function* inFrames<Noun extends object>(nouns: readonly Noun[]): Generator<Noun[]> {
  let list: Noun[] = [];
  let bytes = 0;
  for (const noun of nouns) {
    const more = bytesAtMost(noun);
    if (list.length === BATCH_MAX || (list.length > 0 && bytes + more > LIST_BYTES_MAX)) {
      yield list;
      list = [];
      bytes = 0;
    }
    list.push(noun);
    bytes += more;
  }
  if (list.length > 0) yield list;
}

/** A bound that costs little: no text has more than three bytes for each unit of its length. */
function bytesAtMost(noun: object): number {
  let bytes = 16;
  for (const part of Object.values(noun) as unknown[]) {
    if (typeof part === "string") bytes += 8 + 3 * part.length;
    else bytes += typeof part === "object" && part !== null ? bytesAtMost(part) : 16;
  }
  return bytes;
}
