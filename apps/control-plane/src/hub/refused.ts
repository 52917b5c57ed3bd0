import type { ErrorCode } from "@cairnjs/schemas";

/** What a worker or a client said cannot be, or is not for it to say: its stream ends with this. */
export class Refused extends Error {
  override name = "Refused";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
