import { type ServiceError, status } from "@grpc/grpc-js";
import { CODE_METADATA_KEY, ERROR_TABLE, type ErrorCode, errorCodeOf } from "@cairnjs/protocol";
import { unreachable } from "./unreachable.ts";

/** What a control plane has answered instead of what was asked for, or that it cannot be reached. */
export class Refused extends Error {
  override name = "Refused";
  readonly code: ErrorCode | null;
  /** Whether the same may be asked again later. */
  readonly mayChange: boolean;

  constructor(message: string, code: ErrorCode | null, mayChange: boolean, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.mayChange = mayChange;
  }

  static by(error: ServiceError, isSecure: boolean): Refused {
    const code = errorCodeOf(error.code, error.metadata?.get(CODE_METADATA_KEY)[0]?.toString());
    const isClosed = error.code === status.UNAUTHENTICATED || error.code === status.PERMISSION_DENIED;
    const isNobody = error.code === status.UNAVAILABLE && error.metadata?.get(CODE_METADATA_KEY).length !== 1;
    const said = error.details || error.message;
    const message = isNobody ? unreachable(said, isSecure) : said;
    return new Refused(message, code, code === null ? !isClosed : ERROR_TABLE[code].again);
  }
}
