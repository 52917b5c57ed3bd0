import type { MatchState } from "../regexp/match-state.ts";
import { Kind, VObject } from "./value.ts";

/**
 * A search for a regular expression in a text. It lives on the heap between two slices of matching, and no
 * program ever sees it. A snapshot stores the four fields, the state by the matcher's own encoding; the
 * compiled expression is a function of source and flags.
 */
export class VMatch extends VObject {
  readonly kind = Kind.Match;
  readonly source: string;
  readonly flags: string;
  readonly text: string;
  state: MatchState;

  constructor(source: string, flags: string, text: string, state: MatchState) {
    super(null);
    this.source = source;
    this.flags = flags;
    this.text = text;
    this.state = state;
  }
}
