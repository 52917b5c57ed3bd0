/** What can be wrong with a request; one table for every way in. */
export type EngineErrorCode =
  | "BlobCorrupt"
  | "BlobMissing"
  | "BlobUnreadable"
  | "Closed"
  | "DeadlinePassed"
  | "HeldUp"
  | "IdConflict"
  | "IdempotencyConflict"
  | "InvalidId"
  | "InvalidInput"
  | "InvalidOption"
  | "NotFound"
  | "PayloadTooLarge"
  | "RunDeleted"
  | "RunEnded"
  | "Unavailable"
  | "UnknownType"
  | "VersionConflict";

export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  static {
    Object.defineProperty(this.prototype, "name", { value: "EngineError", configurable: true, writable: true });
  }
}

/** Of whoever asks a Cairn that was closed. */
export function closedError(): EngineError {
  return new EngineError("Closed", "This Cairn was closed");
}
