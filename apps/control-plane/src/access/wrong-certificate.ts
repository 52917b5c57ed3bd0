import { type Caller, NotAllowed } from "./caller.ts";

/** What of a certificate of our authority keeps whoever shows it out. */
export const CERTIFICATE_REASONS = ["certificate_misspelled", "certificate_mismatched"] as const;
type CertificateReason = (typeof CERTIFICATE_REASONS)[number];

/** Someone is known by what he says, and by his certificate, but the two together let him in nowhere. No guess: what he said is right. */
export class WrongCertificate extends NotAllowed {
  readonly why: CertificateReason;

  constructor(why: CertificateReason, message: string, caller: Caller, wanted: string | null = null) {
    super(why === "certificate_misspelled" ? "Forbidden" : "WrongNamespace", message, caller, wanted);
    this.why = why;
  }
}
