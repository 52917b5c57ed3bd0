import type { EngineErrorCode } from "@cairnjs/schemas";
import type { RunSummaryView } from "../store/find-runs.ts";

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

export function missingError(id: string): EngineError {
  return new EngineError("NotFound", `There is no run ${id}`);
}

/** A fork has no states of its own before it was one. */
export function originalGone(id: string, original: string): EngineError {
  return new EngineError(
    "NotFound",
    `The run ${id} is a fork of ${original}, which was removed, and with it what was before`,
  );
}

/** Why a run takes no mail. */
export function overError({ id, status, deletedAt }: Pick<RunSummaryView, "id" | "status" | "deletedAt">): EngineError {
  return deletedAt === null ? endedError(id, status) : deletedError(id);
}

export function endedError(id: string, status: string): EngineError {
  return new EngineError("RunEnded", `The run ${id} has ended: it is ${status}`);
}

export function deletedError(id: string): EngineError {
  return new EngineError("RunDeleted", `The run ${id} was deleted`);
}

/** Of whoever asks for something else under the key of an earlier request. */
export function anotherError(what: string): EngineError {
  return new EngineError("IdempotencyConflict", `${what} was asked for under this key before, and it was another one`);
}

/** Why a run is not retried. */
export function notFailedError(id: string, status: string): EngineError {
  return new EngineError("WrongStatus", `Only a run that has failed is retried: the run ${id} is ${status}`);
}

/** Of whoever asks a Cairn that was closed. */
export function closedError(): EngineError {
  return new EngineError("Closed", "This Cairn was closed");
}
