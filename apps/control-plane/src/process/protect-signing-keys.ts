import type { AuditLog } from "../audit/audit-log.ts";
import type { Engine } from "../library/engine.ts";
import type { Warn } from "../warn.ts";

/** Encrypts what is plain from a time without a master key. Whoever cannot is warned: everything else goes on without it. */
export async function protectSigningKeys(id: string, engine: Engine, audit: AuditLog, warn: Warn): Promise<void> {
  try {
    for (const subject of await engine.secrets.signingKeys.protect()) {
      await audit.write({
        namespace: "default",
        who: `the control plane ${id}`,
        keyId: null,
        action: "signing-key.encrypt",
        subject,
        runId: null,
        detail: "{}",
        status: 200,
        via: "direct",
        address: null,
      });
    }
  } catch (error) {
    warn("Wait tokens cannot be made or used here", error);
  }
}
