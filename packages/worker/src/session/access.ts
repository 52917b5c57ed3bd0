import { type ChannelCredentials, credentials } from "@grpc/grpc-js";

/** Certificates, as PEM. */
export interface Certificates {
  /** Of who has signed the control planes' certificates; without it, those that Node.js trusts. */
  readonly authority: Buffer | null;
  /** The worker's own, for control planes that want one. */
  readonly own: { readonly certificate: Buffer; readonly key: Buffer } | null;
}

/** What a worker shows to control planes, and what it wants to see of them. */
export interface Access {
  readonly token: string | null;
  /** Read anew for each connection: short-lived ones are replaced while a worker runs. Throws if they cannot be read. */
  readonly certificates: () => Certificates;
}

export function channelCredentials(isSecure: boolean, { authority, own }: Certificates): ChannelCredentials {
  if (!isSecure) return credentials.createInsecure();
  return credentials.createSsl(authority, own?.key ?? null, own?.certificate ?? null);
}
