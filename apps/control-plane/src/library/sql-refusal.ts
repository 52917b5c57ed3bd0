import { ENGINE_ERROR_CODES, type EngineErrorCode } from "@cairnjs/schemas";
import { EngineError } from "./engine-error.ts";

/** What SQL's functions refuse has its code as a hint; null: it is another error. */
export function refusalOf(error: unknown): EngineError | null {
  const { code, hint, message } = error as { code?: unknown; hint?: unknown; message: string };
  if (code !== "22023" || !ENGINE_ERROR_CODES.includes(hint as EngineErrorCode)) return null;
  return new EngineError(hint as EngineErrorCode, message, { cause: error });
}
