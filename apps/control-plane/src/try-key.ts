import { callKey } from "@cairnjs/worker/host";
import type { CallRef } from "@cairnjs/schemas";

/** Of one try of a call. After a restore the same call may be made again, with the same numbers: that is another one. */
export function tryKey(id: CallRef): string {
  return `${id.incarnation}/${callKey(id)}/${id.attempt}`;
}
