import type { ErrorCode } from "@cairnjs/schemas";

/** What is wrong before a control plane has said anything, or with what it said. */
type ClientErrorCode =
  /** Nobody answers, or not in time. */
  | "NoAnswer"
  /** Whoever answers is no control plane. */
  | "NoControlPlane"
  /** `timeout` of `result()` has passed; the run goes on. */
  | "WaitTimeout"
  /** A stream was ended by the control plane again and again. */
  | "StreamDropped"
  /** Of `startMany()`: some were refused. */
  | "StartsRefused"
  /** Of `startMany()`: it ended before all were asked for. */
  | "StartsInterrupted";

/** One of the codes of docs/protocol.md, `Internal`, one of the client's, or one that a later control plane has. */
export type CairnErrorCode = ErrorCode | ClientErrorCode | "Internal" | (string & {});

interface CairnErrorOptions extends ErrorOptions {
  readonly inDoubt?: string;
}

/** What is wrong with a request. What a run has failed with is no such error: `result()` rejects with that itself. */
export class CairnError extends Error {
  readonly code: CairnErrorCode;
  /** Of HTTP; 0 if there was no answer. */
  readonly status: number;
  /**
   * Of what nobody knows whether it was done. Of `start()` and `fork()`: the id of the run; started again with this id, it is one run. Of
   * `signal()`: the key; sent again with it, it is one signal.
   */
  readonly inDoubt: string | undefined;

  constructor(code: CairnErrorCode, detail: string, status = 0, options: CairnErrorOptions = {}) {
    super(detail, options);
    this.inDoubt = options.inDoubt;
    this.code = code;
    this.status = status;
  }

  /** For people: as the problem details of the answer have it. */
  get detail(): string {
    return this.message;
  }

  static {
    Object.defineProperty(this.prototype, "name", { value: "CairnError", configurable: true, writable: true });
  }
}
