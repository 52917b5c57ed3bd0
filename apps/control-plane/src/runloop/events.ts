import type { RunEventKind } from "@cairnjs/schemas";
import type { Effect } from "@cairnjs/vm";
import { isForbidden } from "./effects-policy.ts";
import { recordEvent, tell } from "./run-event.ts";
import type { Step } from "./step.ts";

export type Told = Extract<
  Effect,
  { readonly kind: "log" | "progress" | "emit" | "compensation" | "compensationFailed" | "warning" }
>;

/** What a body tells the world: events of the run, and for others the outbox. */
export function recordEvents(step: Step, effect: Told): void {
  const { run } = step;
  const { at } = run.machine;
  const event = (kind: RunEventKind, data: string | null): void => recordEvent(step, kind, data, at);
  switch (effect.kind) {
    case "log":
      return event("log", `{"level":${JSON.stringify(effect.level)},"args":${effect.args}}`);
    case "progress":
      return event("progress", effect.value);
    case "emit":
      if (isForbidden(run.row.effects, effect.type)) return event("forbidden", JSON.stringify({ emit: effect.type }));
      return tell(step, effect.type, effect.data, at);
    case "compensation":
      return event("compensation registered", JSON.stringify({ action: effect.action, node: effect.node }));
    case "compensationFailed":
      return event("compensation failed", `{"call":${JSON.stringify(effect.call)},"error":${effect.error}}`);
    case "warning":
      return event("warning", `{"code":${JSON.stringify(effect.code)},"detail":${effect.detail}}`);
  }
}
