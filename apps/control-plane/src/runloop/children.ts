import { decodeNative, parseDuration } from "@cairnjs/ir";
import { checkOptions } from "cairnjs/host";
import type { NewChild } from "../store/transition.ts";
import { forbiddenError, isForbidden } from "./effects-policy.ts";
import { errorText } from "./error-text.ts";
import { newOpenStep } from "./held-run.ts";
import { inputIssues } from "./input-check.ts";
import type { OpenChild } from "./open-effects.ts";
import { poolOf } from "./pools.ts";
import type { LoadedVersion } from "./programs.ts";
import { tellOfChild } from "./run-event.ts";
import { spanOf } from "./span-of.ts";
import type { Step } from "./step.ts";

const UNDEFINED = JSON.stringify({ $undefined: true });

/** A child that the transition starts. */
export interface ChildStart {
  readonly child: NewChild;
  readonly version: LoadedVersion;
}

/** What `with()` or `start()` was given for a child. */
interface ChildOptions {
  readonly tags?: readonly string[];
  readonly retry?: { readonly attempts?: number };
  readonly timeout?: number | string;
}

/** False: its current version must be looked up first. */
export function startChild(step: Step, effect: OpenChild): boolean {
  const { run, context } = step;
  const { namespace } = run.row;
  const version = context.current(namespace, effect.workflow);
  if (version === undefined) {
    step.unknown = { kind: "version", namespace, name: effect.workflow };
    return false;
  }
  run.open.set(effect.id, newOpenStep(effect));
  const input = version === null ? effect.input : inputFor(version, effect);
  const refusal = refusalOf(version, effect, input, run.row.effects);
  if (version === null || refusal !== null) {
    step.add({ kind: "refusal", call: effect.id, error: refusal! });
    return true;
  }
  const parentCall = effect.detached ? null : effect.id;
  const { runId: id, options } = effect;
  const child = newChild(step, version, { id, input, options, parentCall });
  step.transition.children.push(child);
  tellOfChild(step, child);
  step.after.children.push({ child, version });
  if (effect.detached) step.add({ kind: "answer", call: effect.id, value: JSON.stringify({ id: child.id }) });
  return true;
}

/** Called as a function, a workflow that takes nothing may be given something: `items.map(child)` passes each item. */
function inputFor({ image }: LoadedVersion, { input, detached }: OpenChild): string {
  const takesNothing = image.units[image.program.entry]!.parameters === 0;
  return takesNothing && !detached ? UNDEFINED : input;
}

function refusalOf(
  version: LoadedVersion | null,
  effect: OpenChild,
  input: string,
  effects: string | null,
): string | null {
  const { workflow, options, detached } = effect;
  if (isForbidden(effects, workflow)) return forbiddenError(workflow);
  if (version === null) return errorText("NoHandlerRegistered", `Nothing is registered as ${workflow}`);
  try {
    if (options !== null) checkOptions(detached ? "start" : "with", workflow, decodeNative(options));
  } catch (error) {
    return errorText((error as Error).name, (error as Error).message);
  }
  const issues = inputIssues(version, input);
  return issues === null ? null : errorText("InvalidInput", issues);
}

interface Wanted {
  readonly id: string;
  readonly input: string;
  /** Encoded. */
  readonly options: string | null;
  /** The call that waits for it; null if it lives on its own. */
  readonly parentCall: string | null;
}

export function newChild({ run, context }: Step, version: LoadedVersion, wanted: Wanted): NewChild {
  const { row, machine } = run;
  const options = wanted.options === null ? {} : (decodeNative(wanted.options) as ChildOptions);
  const pool = poolOf(row.namespace, version);
  return {
    id: wanted.id,
    namespace: row.namespace,
    type: version.name,
    version: version.version,
    pool,
    priority: row.priority,
    payload: wanted.input,
    maxAttempts: options.retry?.attempts ?? version.maxAttempts,
    tags: [...version.tags, ...(options.tags ?? [])],
    deadline: options.timeout === undefined ? null : machine.at + milliseconds(options.timeout),
    parent: wanted.parentCall === null ? null : row.id,
    parentCall: wanted.parentCall,
    effects: row.effects,
    traceparent: spanOf(row),
    held: context.reserveRoom(pool),
  };
}

function milliseconds(duration: number | string): number {
  return Math.ceil(typeof duration === "number" ? duration : parseDuration(duration));
}

/** Only children that the run waits for: those started on their own live on. */
export function tellChild(
  { transition, after }: Step,
  { detached, runId }: OpenChild,
  kind: "cancel" | "delete",
  reason: string,
): void {
  if (detached) return;
  transition.mail.push({ runId, kind, call: null, name: null, value: JSON.stringify(reason) });
  after.mailed.push(runId);
}
