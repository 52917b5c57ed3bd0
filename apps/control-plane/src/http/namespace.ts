import { Namespace } from "@cairnjs/schemas";
import { type Caller, checkNamespace } from "../access/caller.ts";
import { Refused } from "../hub/refused.ts";

/** What is asked for, that of the token if it is for one alone, or the usual one. Throws `Refused`. */
export function namespaceFor(caller: Caller, asked: unknown): string {
  const { success, data, error } = Namespace.safeParse(asked ?? caller.namespace ?? "default");
  if (!success) throw new Refused("InvalidMessage", `The namespace ${error.issues[0]?.message ?? "is not valid"}`);
  checkNamespace(caller, data);
  return data;
}
