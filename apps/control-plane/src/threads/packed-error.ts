/** An error as other threads need it; its class stays behind. (Copied as an error it would lose its code.) */
export interface PackedError {
  readonly name: string;
  readonly message: string;
  /** Of errors that have one: the database's SQLSTATE, the engine's. */
  readonly code?: unknown;
}

export function packError(error: unknown): PackedError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message } = error;
  return "code" in error ? { name, message, code: error.code } : { name, message };
}

export function unpackError({ message, ...about }: PackedError): Error {
  return Object.assign(new Error(message), about);
}
