import type { ServerUnaryCall } from "@grpc/grpc-js";
import { httpStatusOf } from "@cairnjs/protocol";
import type { Hello } from "@cairnjs/schemas";
import { type Caller, NotAllowed } from "../access/caller.ts";
import { type AuditLog, CONNECTED } from "../audit/audit-log.ts";
import { detailText } from "../audit/detail.ts";
import { writeRefused } from "../audit/refused-entry.ts";
import { hostOfPeer } from "./authorization.ts";
import { codeOf } from "./status.ts";

type Called = Pick<ServerUnaryCall<unknown, unknown>, "getPeer" | "getPath">;

/** What a caller does, or tries to. */
interface Done {
  readonly action: string;
  readonly namespace: string;
  /** What it is about, if that is no run. */
  readonly subject?: string;
  readonly runId?: string | null;
  readonly detail: object;
  /** As REST says it. */
  readonly status?: number;
}

/** That it was done, and who did it. */
export async function writeDown(
  audit: AuditLog,
  { name: who, keyId }: Caller,
  call: Called,
  done: Done,
): Promise<void> {
  const { action, namespace, runId = null, subject = runId, detail, status = 200 } = done;
  await audit.write({
    namespace,
    who,
    keyId: keyId ?? null,
    action,
    subject,
    runId,
    detail: detailText(detail),
    status,
    via: "grpc",
    address: hostOfPeer(call.getPeer()),
  });
}

/**
 * Does something, and writes down that it was done, or that it broke off or something else was in the way: part of it may have happened then, and
 * `begun` says of what is known to have.
 */
export async function audited<T>(
  audit: AuditLog,
  caller: Caller,
  call: Called,
  about: Done,
  act: () => Promise<T>,
  begun: () => object | null = () => null,
): Promise<T> {
  let answer: T;
  try {
    answer = await act();
  } catch (error) {
    const part = begun();
    const [status = part === null ? null : restStatusOf(error)] = brokenStatus(error);
    // Who is refused for want of a namespace is written down as that.
    if (status !== null && !(error instanceof NotAllowed)) {
      await writeDown(audit, caller, call, { ...about, detail: { ...about.detail, ...part }, status });
    }
    throw error;
  }
  await writeDown(audit, caller, call, about);
  return answer;
}

/** What REST answers to what broke off, or has something in its way: part of it may have happened. Of anything else, nothing. */
export function brokenStatus(error: unknown): number[] {
  const status = restStatusOf(error);
  return status === 409 || status >= 500 ? [status] : [];
}

function restStatusOf(error: unknown): number {
  const code = codeOf(error);
  return code === null ? 500 : httpStatusOf(code);
}

/** By method, as REST calls the same. */
const ACTIONS: Readonly<Record<string, string>> = {
  Register: "workflow.register",
  Start: "run.start",
  Signal: "run.signal",
  Cancel: "run.cancel",
  Work: CONNECTED,
};

/** That a worker connected, which is given secrets. */
export function writeConnected(audit: AuditLog, caller: Caller, call: Called, hello: Hello): Promise<void> {
  const { namespace, workerId: subject, actions } = hello;
  const secrets = [...new Set(actions.flatMap(({ secrets: names = [] }) => names))].toSorted();
  return writeDown(audit, caller, call, { action: CONNECTED, namespace, subject, detail: { secrets } });
}

/** That someone who is known was refused. Other errors are nothing to write down. */
export function writeRefusal(audit: AuditLog, call: Called, error: unknown): Promise<void> {
  const method = call.getPath().split("/").at(-1) ?? "";
  const action = ACTIONS[method] ?? `grpc.${method.charAt(0).toLowerCase()}${method.slice(1)}`;
  return writeRefused(audit, error, { action, subject: null, via: "grpc", address: hostOfPeer(call.getPeer()) });
}
