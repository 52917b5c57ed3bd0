import type { BlobStore } from "../blobs/blob-store.ts";
import { storedForm } from "../blobs/stored-values.ts";
import { Refused } from "../hub/refused.ts";
import { valueIssue } from "../runloop/input-check.ts";
import { digestOf, sendOnce } from "../store/mail.ts";
import type { Queryable } from "../store/statement.ts";
import { anotherError, overError } from "./engine-error.ts";
import { requireRun } from "./require-run.ts";
import { checkSize } from "./start-options.ts";

export interface SentSignal {
  readonly runId: string;
  readonly name: string;
  /** In the tagged encoding, or said to be. */
  readonly text: string;
  /** The same when it is sent again. */
  readonly key: string;
  /** How long it may be sent again, if that is longer than an hour. */
  readonly keyUntil?: Date;
}

/** Where signals come in that this process has not encoded itself. */
export interface SignalPort {
  readonly client: Queryable;
  readonly blobs: BlobStore;
  readonly tell: (channel: "cairn_mail") => void;
}

/** Throws if it is none, or too large. */
export function checkSignalValue(name: string, text: string): void {
  const issue = valueIssue(text);
  if (issue !== null) throw new Refused("InvalidMessage", `value is no value: ${issue}`);
  checkSize(`The value of the signal ${name}`, text);
}

/** Delivered once, in the order sent. False: it was sent before. Rejects if another one was sent under the key. */
export async function sendSignal(port: SignalPort, namespace: string, signal: SentSignal): Promise<boolean> {
  const { runId, name, text, key } = signal;
  checkSignalValue(name, text);
  await requireRun(port.client, namespace, runId);
  const letter = { runId, kind: "signal" as const, name, value: await storedForm(port.blobs, text) };
  const until = signal.keyUntil === undefined ? {} : { keptUntil: signal.keyUntil };
  const sent = await sendOnce(port.client, { key, digest: digestOf("signal", runId, name, text), ...until }, letter);
  if (sent === "another") throw anotherError(`A signal to ${runId}`);
  if (sent !== null) {
    port.tell("cairn_mail");
    return sent === "sent";
  }
  throw overError(await requireRun(port.client, namespace, runId));
}
