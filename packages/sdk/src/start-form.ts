import type { EncodedCopy } from "./copy.ts";

/**
 * How a workflow or an action is started from outside. They carry it themselves, so that the client, which browsers load too, need
 * not bring along what checks inputs: whoever gives it a workflow has loaded that.
 */
export interface StartForm {
  readonly type: string;
  /** The input, checked, in the tagged encoding. */
  readonly text: string;
  /** The workflow's schema has made something else of what was given: it is not to be checked as if it had been given. */
  readonly converted: boolean;
}

/** Of an input that is encoded already. */
type MakeStartForm = (input: EncodedCopy) => Promise<StartForm>;

/** Registered: a client may be of another copy of this package. */
const START_FORM = Symbol.for("cairnjs.startForm");

export function giveStartForm(callable: object, make: MakeStartForm): void {
  Object.defineProperty(callable, START_FORM, { value: make });
}

/** Undefined of what is neither a workflow nor an action. */
export function startFormOf(value: unknown): MakeStartForm | undefined {
  if (typeof value !== "function") return undefined;
  return Object.getOwnPropertyDescriptor(value, START_FORM)?.value as MakeStartForm | undefined;
}
