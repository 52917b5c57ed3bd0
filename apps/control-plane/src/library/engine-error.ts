import type { EngineErrorCode } from "@cairnjs/schemas";

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

export function deletedError(id: string): EngineError {
  return new EngineError("RunDeleted", `The run ${id} was deleted`);
}

/** Of whoever asks a Cairn that was closed. */
export function closedError(): EngineError {
  return new EngineError("Closed", "This Cairn was closed");
}
