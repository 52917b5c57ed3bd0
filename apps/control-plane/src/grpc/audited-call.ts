import { Namespace } from "@cairnjs/schemas";
import type { ServerUnaryCall } from "@grpc/grpc-js";
import { type Caller, NotAllowed } from "../access/caller.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { detailText } from "../audit/detail.ts";

/** What streams ask for is not known when they are refused for want of a scope. */
type Called = Pick<ServerUnaryCall<unknown, unknown>, "getPeer" | "getPath"> & { readonly request?: unknown };

/** That it was done, and who did it. */
export async function writeDown(
  audit: AuditLog,
  { name: who, keyId }: Caller,
  call: Called,
  done: {
    readonly action: string;
    readonly namespace: string;
    readonly runId?: string | null;
    readonly detail: object;
  },
): Promise<void> {
  const { action, namespace, runId = null, detail } = done;
  await audit.write({
    namespace,
    who,
    keyId: keyId ?? null,
    action,
    subject: runId,
    runId,
    detail: detailText(detail),
    status: 200,
    via: "grpc",
    address: call.getPeer(),
  });
}

/** Where something was wanted by who may be anywhere. */
function namespaceIn(request: unknown): string {
  const { namespace } = (request ?? {}) as { readonly namespace?: unknown };
  return Namespace.safeParse(namespace).data ?? "default";
}

/** By method, as REST calls the same. */
const ACTIONS: Readonly<Record<string, string>> = {
  Register: "workflow.register",
  Start: "run.start",
  Signal: "run.signal",
  Cancel: "run.cancel",
  Work: "worker.connect",
};

/** That someone who is known was refused. Other errors are nothing to write down. */
export function writeRefusal(audit: AuditLog, call: Called, error: unknown): void {
  if (!(error instanceof NotAllowed)) return;
  const { caller, wanted } = error;
  const method = call.getPath().split("/").at(-1) ?? "";
  void audit.write({
    namespace: caller.namespace ?? namespaceIn(call.request),
    who: caller.name,
    keyId: caller.keyId ?? null,
    action: ACTIONS[method] ?? `grpc.${method.charAt(0).toLowerCase()}${method.slice(1)}`,
    subject: null,
    runId: null,
    detail: detailText(wanted === null ? {} : { namespace: wanted }),
    status: 403,
    via: "grpc",
    address: call.getPeer(),
  });
}
