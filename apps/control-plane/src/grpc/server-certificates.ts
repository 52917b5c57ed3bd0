import { createSecureContext } from "node:tls";
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
