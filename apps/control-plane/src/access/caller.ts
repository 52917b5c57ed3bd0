import { includesScope, type Scope, SCOPES } from "@cairnjs/schemas";
import { Refused } from "../hub/refused.ts";

/** Whoever asks something of a control plane. */
export interface Caller {
  /** For people, and for what is written down of what was done. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only one that it may be in; null: any. */
  readonly namespace: string | null;
  /** Of a token of the settings: its hash, in hex. */
  readonly tokenHash?: string;
  /** The id of the key that it asks with. */
  readonly keyId?: string;
  /** The hash of the session that it asks with, in hex. */
  readonly session?: string;
}

/** Someone who is known may not do something: that is written down. */
export class NotAllowed extends Refused {
  readonly caller: Caller;
  /** The namespace that was wanted, if that is the reason. */
  readonly wanted: string | null;

  constructor(code: "Forbidden" | "WrongNamespace", message: string, caller: Caller, wanted: string | null = null) {
    super(code, message);
    this.caller = caller;
    this.wanted = wanted;
  }
}

/** Where nobody is asked who he is. */
export const ANYONE: Caller = { name: "anyone", scopes: SCOPES, namespace: null };

/** Whose share of what is limited it uses: that of its key or token, however it says it, and however often it has logged in. */
export function shareOf({ keyId, tokenHash, name }: Caller): string {
  return keyId ?? tokenHash ?? name;
}

/** With whom it has a share together, so that nobody has more for having more keys: all who are for the same namespace, or nobody else. */
export function tenantOf(caller: Caller, share = shareOf(caller)): string {
  return caller.namespace === null ? `caller ${share}` : `namespace ${caller.namespace}`;
}

export function checkScope(caller: Caller, wanted: Scope): void {
  if (includesScope(caller.scopes, wanted)) return;
  const has = caller.scopes.length === 0 ? "no scope" : caller.scopes.join(" and ");
  throw new NotAllowed("Forbidden", `This takes the scope ${wanted}, and ${caller.name} has ${has}`, caller);
}

export function checkNamespace(caller: Caller, namespace: string): void {
  if (caller.namespace === null || caller.namespace === namespace) return;
  throw new NotAllowed(
    "WrongNamespace",
    `${namespace} is a namespace that ${caller.name} is not for`,
    caller,
    namespace,
  );
}

/** For what concerns all namespaces. */
export function checkEverywhere(caller: Caller): void {
  if (caller.namespace === null) return;
  throw new NotAllowed("WrongNamespace", `This concerns all namespaces, and ${caller.name} is for one`, caller);
}
