import type { Effect } from "@cairnjs/vm";
import { isForbidden } from "./effects-policy.ts";
import type { Step } from "./step.ts";

export type Told = Extract<
  Effect,
  { readonly kind: "log" | "progress" | "emit" | "compensation" | "compensationFailed" | "warning" }
>;

/** What a body tells the world: events of the run, and for others the outbox. */
export function recordEvents({ run, transition }: Step, effect: Told): void {
  const { id: runId, machine } = run;
  const { at } = machine;
  const event = (kind: string, data: string | null): void => void transition.events.push({ runId, kind, data, at });
  switch (effect.kind) {
    case "log":
      return event("log", `{"level":${JSON.stringify(effect.level)},"args":${effect.args}}`);
    case "progress":
      return event("progress", effect.value);
    case "emit":
      if (isForbidden(run.row.effects, effect.type)) return event("forbidden", JSON.stringify({ emit: effect.type }));
      transition.outbox.push({ namespace: run.row.namespace, runId, type: effect.type, data: effect.data, at });
      return;
    case "compensation":
      return event("compensation registered", JSON.stringify({ action: effect.action, node: effect.node }));
    case "compensationFailed":
      return event("compensation failed", `{"call":${JSON.stringify(effect.call)},"error":${effect.error}}`);
    case "warning":
      return event("warning", `{"code":${JSON.stringify(effect.code)},"detail":${effect.detail}}`);
  }
}
