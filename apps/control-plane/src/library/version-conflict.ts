import { VersionConflict } from "../store/register-version.ts";
import { EngineError } from "./engine-error.ts";

/** What the store refuses to register, as whoever asked for it is told. */
export async function refusing(registering: Promise<unknown>): Promise<void> {
  try {
    await registering;
  } catch (error) {
    if (error instanceof VersionConflict) throw new EngineError("VersionConflict", error.message, { cause: error });
    throw error;
  }
}
