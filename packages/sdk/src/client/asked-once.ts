import { CairnError } from "./cairn-error.ts";
import type { Ask, Transport } from "./transport.ts";

/** What an error says if nobody knows whether it was done. */
interface Doubt {
  /** With this it can be asked for again, and is done once. */
  readonly inDoubt: string;
  readonly says: string;
}

/** Asks for something that is done once, however often it is asked for: by an id or a key in its body. */
export async function askedOnce<T>(
  transport: Transport,
  ask: Pick<Ask, "path" | "body">,
  { inDoubt, says }: Doubt,
): Promise<T> {
  let isInDoubt = false;
  const onDoubt = (): void => {
    isInDoubt = true;
  };
  try {
    return await transport.ask<T>({ ...ask, method: "POST", repeatable: true, onDoubt });
  } catch (error) {
    if (!isInDoubt || !(error instanceof CairnError)) throw error;
    const { code, detail, status, cause } = error;
    throw new CairnError(code, `${detail}: ${says}`, status, { cause, inDoubt });
  }
}
