import { ERROR_CODES, type ErrorCode } from "@cairnjs/schemas";

/** The numbers of gRPC that are used here: the same in all its libraries. */
export const GRPC_STATUS = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

interface ErrorEntry {
  readonly status: keyof typeof GRPC_STATUS;
  /** Of HTTP. */
  readonly http: number;
  /** Whether the same request may succeed later. */
  readonly again: boolean;
}

/**
 * What is said of each code by gRPC and by HTTP. Not `DEADLINE_EXCEEDED` for a run's deadline, and not `RESOURCE_EXHAUSTED` for a large
 * input: libraries take the first for a deadline of the request, and try again after the second.
 */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorEntry>> = {
  BlobCorrupt: { status: "DATA_LOSS", http: 500, again: false },
  BlobMissing: { status: "NOT_FOUND", http: 404, again: false },
  BlobUnreadable: { status: "INTERNAL", http: 503, again: true },
  Closed: { status: "UNAVAILABLE", http: 503, again: true },
  CompensationsRan: { status: "FAILED_PRECONDITION", http: 409, again: false },
  DeadlinePassed: { status: "FAILED_PRECONDITION", http: 400, again: false },
  Diverged: { status: "DATA_LOSS", http: 500, again: false },
  Forbidden: { status: "PERMISSION_DENIED", http: 403, again: false },
  HeldUp: { status: "ABORTED", http: 409, again: true },
  IdConflict: { status: "ALREADY_EXISTS", http: 409, again: false },
  IdempotencyConflict: { status: "ALREADY_EXISTS", http: 409, again: false },
  InvalidId: { status: "INVALID_ARGUMENT", http: 400, again: false },
  InvalidInput: { status: "INVALID_ARGUMENT", http: 400, again: false },
  InvalidMessage: { status: "INVALID_ARGUMENT", http: 400, again: false },
  InvalidOption: { status: "INVALID_ARGUMENT", http: 400, again: false },
  MethodNotAllowed: { status: "INVALID_ARGUMENT", http: 405, again: false },
  NoMasterKey: { status: "FAILED_PRECONDITION", http: 409, again: false },
  NotFound: { status: "NOT_FOUND", http: 404, again: false },
  PayloadTooLarge: { status: "INVALID_ARGUMENT", http: 413, again: false },
  ProtocolTooOld: { status: "FAILED_PRECONDITION", http: 400, again: false },
  RateLimited: { status: "UNAVAILABLE", http: 429, again: true },
  RunDeleted: { status: "FAILED_PRECONDITION", http: 410, again: false },
  RunEnded: { status: "FAILED_PRECONDITION", http: 409, again: false },
  ScheduleBusy: { status: "FAILED_PRECONDITION", http: 409, again: true },
  SecretUnreadable: { status: "DATA_LOSS", http: 500, again: false },
  Superseded: { status: "FAILED_PRECONDITION", http: 409, again: false },
  TokenExpired: { status: "FAILED_PRECONDITION", http: 410, again: false },
  Unauthenticated: { status: "UNAUTHENTICATED", http: 401, again: false },
  Unavailable: { status: "UNAVAILABLE", http: 503, again: true },
  UnknownType: { status: "NOT_FOUND", http: 404, again: false },
  UnsupportedMediaType: { status: "INVALID_ARGUMENT", http: 415, again: false },
  VersionConflict: { status: "ALREADY_EXISTS", http: 409, again: false },
  WrongMasterKey: { status: "FAILED_PRECONDITION", http: 409, again: false },
  WrongNamespace: { status: "PERMISSION_DENIED", http: 403, again: false },
  WrongStatus: { status: "FAILED_PRECONDITION", http: 409, again: false },
};

/** Several codes have one status: which it was stands in this entry of the trailing metadata. */
export const CODE_METADATA_KEY = "cairn-code";

export function grpcStatusOf(code: ErrorCode): number {
  return GRPC_STATUS[ERROR_TABLE[code].status];
}

export function httpStatusOf(code: ErrorCode): number {
  return ERROR_TABLE[code].http;
}

/** Of a call that has failed; null if that was not Cairn's doing, or is a code of a later version. */
export function errorCodeOf(status: number, codeMetadata: string | undefined): ErrorCode | null {
  const known = ERROR_CODES.find((code) => code === codeMetadata);
  // Without a connection there is nobody to say more.
  return known ?? (status === GRPC_STATUS.UNAVAILABLE ? "Unavailable" : null);
}
