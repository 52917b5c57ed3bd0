import { Kind, VObject } from "./value.ts";

/** The value of a name that V8's intrinsics have and ours do not: it exists for `in`, and reading it ends the run. */
class Unsupported extends VObject {
  readonly kind = Kind.Getter;
}
export const UNSUPPORTED: VObject = new Unsupported(null);
UNSUPPORTED.captured = true;
