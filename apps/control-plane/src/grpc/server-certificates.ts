import { createSecureContext } from "node:tls";
import { experimental, ServerCredentials } from "@grpc/grpc-js";
import { EngineError } from "../library/engine-error.ts";

export interface ServerTls {
  readonly key: Buffer;
  readonly certificate: Buffer;
  /** Whoever connects over gRPC must have a certificate of this authority. */
  readonly clientAuthority?: Buffer;
}

/** Throws an EngineError if they cannot be used. */
export function checkTls({ key, certificate, clientAuthority }: ServerTls): void {
  try {
    createSecureContext({ key, cert: certificate, ca: clientAuthority });
  } catch (error) {
    const why = (error as Error).message;
    throw new EngineError("InvalidOption", `The certificate cannot be used with its key: ${why}`, { cause: error });
  }
}

type Told<Update> = (update: Update | null) => void;

/** What the server shows and wants to see; it may change while it listens. */
export class ServerCertificates implements experimental.CertificateProvider {
  readonly credentials: ServerCredentials;
  #tls: ServerTls | null;
  readonly #authorities = new Set<Told<experimental.CaCertificateUpdate>>();
  readonly #identities = new Set<Told<experimental.IdentityCertificateUpdate>>();

  constructor(tls: ServerTls | null) {
    this.#tls = tls;
    const authority = tls?.clientAuthority === undefined ? null : this;
    this.credentials =
      tls === null
        ? ServerCredentials.createInsecure()
        : // By its types the two come the other way round; it is the server's own that must be there.
          experimental.createCertificateProviderServerCredentials(this, authority, authority !== null);
  }

  /** Who connects from now on is shown this. */
  renew(tls: ServerTls): void {
    this.#tls = tls;
    for (const tell of this.#authorities) this.#tellAuthority(tell);
    for (const tell of this.#identities) this.#tellIdentity(tell);
  }

  addCaCertificateListener(tell: Told<experimental.CaCertificateUpdate>): void {
    this.#authorities.add(tell);
    // Later: the server listens to its credentials only after these listen here.
    queueMicrotask(() => this.#tellAuthority(tell));
  }

  removeCaCertificateListener(tell: Told<experimental.CaCertificateUpdate>): void {
    this.#authorities.delete(tell);
  }

  addIdentityCertificateListener(tell: Told<experimental.IdentityCertificateUpdate>): void {
    this.#identities.add(tell);
    queueMicrotask(() => this.#tellIdentity(tell));
  }

  removeIdentityCertificateListener(tell: Told<experimental.IdentityCertificateUpdate>): void {
    this.#identities.delete(tell);
  }

  #tellAuthority(tell: Told<experimental.CaCertificateUpdate>): void {
    const caCertificate = this.#tls?.clientAuthority;
    tell(caCertificate === undefined ? null : { caCertificate });
  }

  #tellIdentity(tell: Told<experimental.IdentityCertificateUpdate>): void {
    tell(this.#tls === null ? null : { certificate: this.#tls.certificate, privateKey: this.#tls.key });
  }
}
