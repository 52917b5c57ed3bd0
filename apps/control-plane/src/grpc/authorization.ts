import type { Metadata, ServerUnaryCall } from "@grpc/grpc-js";
import { includesScope, type Scope } from "@cairnjs/schemas";
import type { Access } from "../access/access.ts";
import { type Caller, checkScope } from "../access/caller.ts";
import { credentialIn } from "../access/key-text.ts";
import type { RequestLimits } from "../http/guard/request-limits.ts";

/** What it takes of each method: one of these scopes. */
export const METHOD_SCOPES = {
  work: ["worker"],
  // Of large values: whoever may see or send some.
  putBlob: ["worker", "operate"],
  getBlob: ["worker", "read"],
  register: ["worker", "admin"],
  start: ["operate"],
  signal: ["operate"],
  cancel: ["operate"],
  wait: ["read"],
  watchChunks: ["read"],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type Method = keyof typeof METHOD_SCOPES;

/** As far as a call says who makes it. */
export type Asked = Pick<ServerUnaryCall<unknown, unknown>, "metadata" | "getAuthContext" | "getPeer">;

/** Who knows whom. */
export interface Doors {
  readonly access: Access;
  /** Those of HTTP too: who guesses has no more guesses here. */
  readonly limits: RequestLimits;
}

/** Who asks. Rejects if he is nobody, or has none of the scopes that it takes, or was wrong too often. */
export async function permitted({ access, limits }: Doors, method: Method, call: Asked): Promise<Caller> {
  const certificate = call.getAuthContext().sslPeerCertificate ?? null;
  const said = authorizationIn(call.metadata);
  const credential = said === undefined ? null : credentialIn(said);
  const asking = { ip: hostOfPeer(call.getPeer()), credential, via: "grpc" as const };
  const caller = await limits.authenticated(asking, null, () => access.callerOf(said, certificate));
  const scopes: readonly Scope[] = METHOD_SCOPES[method];
  if (!scopes.some((scope) => includesScope(caller.scopes, scope))) checkScope(caller, scopes[0]!);
  return caller;
}

/** Of a peer, as grpc-js says it: `127.0.0.1:50051`, `[::1]:50051`, `unix:…`. */
export function hostOfPeer(peer: string): string {
  return peer.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
}

/** What a request says of who makes it. */
function authorizationIn(metadata: Metadata): string | undefined {
  const said = metadata.get("authorization")[0];
  return said === undefined ? undefined : String(said);
}
