import type { BlobStore } from "../blobs/blob-store.ts";
import { storedForm } from "../blobs/stored-values.ts";
import { Refused } from "../hub/refused.ts";
import { valueIssue } from "../runloop/input-check.ts";
import { findRun, type RunView } from "../store/find-runs.ts";
import { sendOnce } from "../store/mail.ts";
import type { Queryable } from "../store/statement.ts";
import { deletedError, EngineError } from "./engine-error.ts";
import { checkSize } from "./start-options.ts";

export interface SentSignal {
  readonly runId: string;
  readonly name: string;
  /** In the tagged encoding, or said to be. */
  readonly text: string;
  /** The same when it is sent again. */
  readonly key: string;
}

/** Where signals come in that this process has not encoded itself. */
export interface SignalPort {
  readonly client: Queryable;
  readonly blobs: BlobStore;
  readonly tell: (channel: "cairn_mail") => void;
}

/** Delivered once, in the order sent. */
export async function sendSignal(port: SignalPort, namespace: string, signal: SentSignal): Promise<void> {
  const { runId, name, text, key } = signal;
  const issue = valueIssue(text);
  if (issue !== null) throw new Refused("InvalidMessage", `value is no value: ${issue}`);
  checkSize(`The value of the signal ${name}`, text);
  await find(port, namespace, runId);
  const letter = { runId, kind: "signal" as const, name, value: await storedForm(port.blobs, text) };
  if (await sendOnce(port.client, key, letter)) return port.tell("cairn_mail");
  const { status, deletedAt } = await find(port, namespace, runId);
  if (deletedAt !== null) throw deletedError(runId);
  throw new EngineError("RunEnded", `The run ${runId} has ended: it is ${status}`);
}

async function find({ client }: SignalPort, namespace: string, runId: string): Promise<RunView> {
  const found = await findRun(client, namespace, runId);
  if (found === undefined) throw new EngineError("NotFound", `There is no run ${runId}`);
  return found;
}
