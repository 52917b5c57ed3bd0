/** What may be wrong with an embedded Postgres before it runs. The message is one line that says what to do. */
export type EmbeddedFailureCode =
  | "UNSUPPORTED_PLATFORM"
  | "NOT_INSTALLED"
  | "CANNOT_RUN"
  | "FOLDER_UNUSABLE"
  | "DOES_NOT_START";

export class EmbeddedPostgresFailed extends Error {
  override readonly name = "EmbeddedPostgresFailed";
  readonly code: EmbeddedFailureCode;

  constructor(code: EmbeddedFailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Another Cairn process works in this folder. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
  readonly code = "FOLDER_IN_USE";
  readonly folder: string;
  readonly pid: number;
  readonly since: Date;

  constructor(folder: string, pid: number, since: Date) {
    const holder = pid === process.pid ? `this process (pid ${pid})` : `the process with pid ${pid}`;
    super(
      `${folder} is in use by ${holder} since ${since.toISOString()}: stop that process, use another folder, ` +
        `or give both the same database by DATABASE_URL.`,
    );
    this.folder = folder;
    this.pid = pid;
    this.since = since;
  }
}
