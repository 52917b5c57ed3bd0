/**
 * Messages with very many small objects go as text: structured cloning took three times as long as writing and reading
 * JSON.
 */
export function pack(message: object): string {
  return JSON.stringify(message);
}

export function unpack(packed: string): unknown {
  return JSON.parse(packed);
}

/** An error as others need it; its class stays behind. */
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
