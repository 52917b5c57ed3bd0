import { NotAllowed } from "../access/caller.ts";
import { WrongCertificate } from "../access/wrong-certificate.ts";
import type { NewAuditEntry } from "../store/audit-log.ts";
import type { AuditLog } from "./audit-log.ts";
import { detailText } from "./detail.ts";

/** What was refused, as whoever refuses it knows it. */
interface RefusedAct extends Pick<NewAuditEntry, "action" | "subject" | "via" | "address"> {
  /** Where it was wanted, of who is for all; without it, in the usual one. */
  readonly namespace?: string;
}

/** That someone who is known was refused, where he is. Other errors are nothing to write down. */
export async function writeRefused(audit: AuditLog, error: unknown, act: RefusedAct): Promise<void> {
  if (!(error instanceof NotAllowed)) return;
  const { caller, wanted } = error;
  await audit.write({
    ...act,
    namespace: caller.namespace ?? act.namespace ?? "default",
    who: caller.name,
    keyId: caller.keyId ?? null,
    runId: null,
    detail: detailText({
      ...(wanted === null ? {} : { namespace: wanted }),
      ...(error instanceof WrongCertificate ? { why: error.why } : {}),
    }),
    status: 403,
  });
}
