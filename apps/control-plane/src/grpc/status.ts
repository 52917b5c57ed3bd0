import { Metadata, status } from "@grpc/grpc-js";
import { CODE_METADATA_KEY, grpcStatusOf } from "@cairnjs/protocol";
import { ERROR_CODES, type ErrorCode } from "@cairnjs/schemas";

/** Our errors have codes, of which the table knows the status of gRPC. */
export function codeOf(error: unknown): ErrorCode | null {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return ERROR_CODES.find((known) => known === code) ?? null;
}

/** As grpc-js takes it, by number: the enumeration of statuses is its own. */
interface FailedStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** How a request ends that has failed. What is nobody's fault but ours is not shown. */
export function statusOf(error: unknown): FailedStatus {
  const code = codeOf(error);
  const metadata = new Metadata();
  if (code === null) return { code: status.INTERNAL, details: "Something went wrong in the control plane", metadata };
  metadata.set(CODE_METADATA_KEY, code);
  return { code: grpcStatusOf(code), details: headerText((error as Error).message), metadata };
}

const DETAILS_LENGTH_MAX = 2_000;

/** Trailers have a limit. */
function headerText(message: string): string {
  return message.slice(0, DETAILS_LENGTH_MAX);
}
