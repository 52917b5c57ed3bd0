import { programAt } from "../builtins/regexp-programs.ts";
import { VMatch } from "../heap/match.ts";
import { Kind } from "../heap/value.ts";
import { decodeMatchState, encodeMatchState, startMatch } from "../regexp/match-state.ts";
import type { HeapObject, Layout } from "./layout.ts";
import { invalid } from "./reader.ts";

/** A regular expression in the middle of a match. */
const match: Layout<VMatch> = {
  shell(object, out) {
    out.key(object.source);
    out.key(object.flags);
    out.key(object.text);
  },
  make(from) {
    const source = from.key();
    const flags = from.key();
    const program = programAt(from.image.realm, source, flags);
    return new VMatch(source, flags, from.key(), startMatch(program, 0));
  },
  body(object, out) {
    const numbers = encodeMatchState(object.state);
    out.uint(numbers.length);
    for (const number of numbers) out.int(number);
  },
  fill(object, from) {
    const numbers = Array.from({ length: from.count() }, () => from.int());
    const program = programAt(from.image.realm, object.source, object.flags);
    object.state = decodeMatchState(numbers, program, object.text.length);
    if (object.state.status === "overflow") invalid("a match that has overflowed");
  },
};

export const matchLayouts: Readonly<Record<number, Layout<HeapObject> | undefined>> = { [Kind.Match]: match };
