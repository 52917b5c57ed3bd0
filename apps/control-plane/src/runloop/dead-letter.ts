import { decodeValue, encodeValue, nativeBuilder, nativeReader } from "@cairnjs/ir";
import { digestIn, isReference } from "../blobs/reference.ts";
import { childRunId } from "../ids.ts";
import { newChild } from "./children.ts";
import { errorText } from "./error-text.ts";
import { inputIssues, valueIssue } from "./input-check.ts";
import { recordEvent, tellOfChild } from "./run-event.ts";
import type { Step } from "./step.ts";

/** Starts the run that was asked for in case this one fails. False: its current version must be looked up first. */
export function startDeadLetter(step: Step): boolean {
  const { run, context, transition, after } = step;
  const { namespace, deadLetterType: type } = run.row;
  if (type === null || after.ended?.status !== "failed") return true;
  const version = context.current(namespace, type);
  if (version === undefined) {
    step.unknown = { kind: "version", namespace, name: type };
    return false;
  }
  const at = context.now();
  const refused = (name: string, message: string): true => {
    recordEvent(step, "dead letter refused", errorText(name, message), at);
    return true;
  };
  const { payload } = run.row;
  if (isReference(payload)) return refused("BlobMissing", `The blob ${digestIn(payload)}, its input, cannot be read`);
  const malformed = valueIssue(payload);
  if (malformed !== null) return refused("InvalidInput", `Its input is not a value: ${malformed}`);
  const input = letterOf(payload, after.ended.value);
  const issues = version === null ? `Nothing is registered as ${type}` : inputIssues(version, input);
  if (version === null || issues !== null) {
    return refused(version === null ? "NoHandlerRegistered" : "InvalidInput", issues!);
  }
  const id = childRunId(at, run.id, "dead letter", run.machine.inputNumber);
  const child = newChild(step, version, { id, input, options: null, parentCall: null });
  transition.children.push(child);
  tellOfChild(step, child);
  after.children.push({ child, version });
  return true;
}

/** A value of a class that only its codec knows: passed on as it is. */
class Opaque {
  readonly name: string;
  readonly payload: unknown;

  constructor(name: string, payload: unknown) {
    this.name = name;
    this.payload = payload;
  }
}

const BUILDER = Object.assign(nativeBuilder(), {
  codec: (name: string, payload: unknown) => new Opaque(name, payload),
});

const PLAIN = nativeReader();
const READER = Object.assign(nativeReader(), {
  kindOf: (value: unknown) => (value instanceof Opaque ? ("codec" as const) : PLAIN.kindOf(value)),
  codec: (value: unknown) => value as Opaque,
});

/** Both are encoded, and number the objects that they share each from 0: so they are encoded anew, as one value. */
function letterOf(payload: string, error: string): string {
  const letter = { payload: decodeValue(payload, BUILDER), error: decodeValue(error, BUILDER) };
  return encodeValue(letter, READER, "input");
}
