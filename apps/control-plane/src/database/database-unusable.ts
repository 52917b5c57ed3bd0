/** Why Cairn cannot work with a database. */
export type DatabaseProblem =
  | "MALFORMED_URL"
  | "NAME_NOT_RESOLVED"
  | "UNREACHABLE"
  | "NOT_READY"
  | "WRONG_PASSWORD"
  | "NO_DATABASE"
  | "TLS_REQUIRED"
  | "TLS_FAILED"
  | "CONNECTION_REFUSED"
  | "POOLER_REFUSED"
  | "TOO_OLD"
  | "READ_ONLY"
  | "NO_RIGHT";

/** The message is one line that says what is wrong and what to do, without the password. */
export class DatabaseUnusable extends Error {
  override readonly name = "DatabaseUnusable";
  readonly code: DatabaseProblem;

  constructor(code: DatabaseProblem, message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s*\n\s*/g, " "), options);
    this.code = code;
  }
}
