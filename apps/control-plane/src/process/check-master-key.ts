import type { Engine } from "../library/engine.ts";
import type { Warn } from "../warn.ts";

/** Whoever has not the master key that secrets are encrypted under is told so at once, and not by the first call that fails. */
export async function checkMasterKey(engine: Engine, warn: Warn): Promise<void> {
  try {
    await engine.secrets.check();
  } catch (error) {
    warn("Secrets cannot be read here", error);
  }
}
