import type { Machine } from "../machine/machine.ts";
import { invalid } from "./reader.ts";

/** The parts of the state that are plain records of text and numbers, stored as JSON. */
export function readRecords(machine: Machine, recordsText: string, signalsText: string): void {
  const records = JSON.parse(recordsText) as unknown;
  if (!Array.isArray(records) || records.length !== 5) invalid("its records are not five");
  const [info, cancelled, outcome, effects, compensations] = records as unknown[];
  if (info !== null && !isInfo(info)) invalid("its run information");
  if (cancelled !== null && typeof cancelled !== "string") invalid("its reason of cancellation");
  if (outcome !== null && !isOutcome(outcome)) invalid("its outcome");
  if (!Array.isArray(effects) || !effects.every(isEffect)) invalid("its effects");
  if (!Array.isArray(compensations) || !compensations.every(isCompensation)) invalid("its compensations");
  machine.info = info as Machine["info"];
  machine.cancelled = cancelled;
  machine.outcome = outcome as Machine["outcome"];
  machine.effects = effects as Machine["effects"];
  machine.compensations.length = 0;
  machine.compensations.push(...(compensations as Machine["compensations"]));
  machine.signals.clear();
  const signals = JSON.parse(signalsText) as unknown;
  if (!Array.isArray(signals)) invalid("its signals");
  for (const entry of signals as unknown[]) {
    if (!Array.isArray(entry) || entry.length !== 2) invalid("its signals");
    const [name, values] = entry as unknown[];
    if (typeof name !== "string" || !Array.isArray(values) || !values.every((value) => typeof value === "string")) {
      invalid("its signals");
    }
    machine.signals.set(name, values);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isInfo(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { id, type, version, namespace, attempt, startedAt, parent, tags } = value;
  return (
    [id, type, version, namespace].every((field) => typeof field === "string") &&
    [attempt, startedAt].every((field) => typeof field === "number") &&
    (parent === null || typeof parent === "string") &&
    Array.isArray(tags) &&
    tags.every((tag) => typeof tag === "string")
  );
}

function isOutcome(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value["trace"]) || typeof value["value"] !== "string") return false;
  const { status, keep } = value;
  return status === "undone" ? typeof keep === "number" : status === "failed" || status === "cancelled";
}

function isEffect(value: unknown): boolean {
  return isRecord(value) && typeof value["kind"] === "string" && typeof value["id"] === "string";
}

function isCompensation(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { node, action, args, options } = value;
  return (
    Number.isInteger(node) &&
    (node as number) >= 0 &&
    [action, args].every((field) => typeof field === "string") &&
    (options === null || typeof options === "string")
  );
}
