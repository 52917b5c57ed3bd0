/** What can be wrong with a request to the engine; its `EngineError` has these codes. */
export const ENGINE_ERROR_CODES = [
  "BlobCorrupt",
  "BlobMissing",
  "BlobUnreadable",
  "Closed",
  "CompensationsRan",
  "DeadlinePassed",
  "Diverged",
  "HeldUp",
  "IdConflict",
  "IdempotencyConflict",
  "InvalidId",
  "InvalidInput",
  "InvalidOption",
  "NoMasterKey",
  "NotFound",
  "PayloadTooLarge",
  "RunDeleted",
  "RunEnded",
  "ScheduleBusy",
  "SecretUnreadable",
  "Superseded",
  "Unavailable",
  "UnknownType",
  "VersionConflict",
  "WrongMasterKey",
  "WrongStatus",
] as const;

export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

/** What can be wrong with a message before the engine sees it. */
export const PROTOCOL_ERROR_CODES = [
  "Forbidden",
  "InvalidMessage",
  "MethodNotAllowed",
  "ProtocolTooOld",
  "RateLimited",
  "TokenExpired",
  "Unauthenticated",
  "UnsupportedMediaType",
  "WrongNamespace",
] as const;

export const ERROR_CODES = [...ENGINE_ERROR_CODES, ...PROTOCOL_ERROR_CODES] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];
