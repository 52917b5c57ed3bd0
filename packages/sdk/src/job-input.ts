import { decodeCopy, type EncodedCopy } from "./copy.ts";
import type { ActionDefinition } from "./definition.ts";
import { argumentsBySchema } from "./schema-check.ts";

/**
 * For whoever starts an action as a job: rejects with InvalidInput unless its schemas take the payload. It is stored as it was
 * given, since what they make of it is made where the action runs.
 */
export async function checkJobInput({ name, options }: ActionDefinition, payload: EncodedCopy): Promise<void> {
  if (options.input !== undefined) await argumentsBySchema(name, options.input, [decodeCopy(payload)]);
}
