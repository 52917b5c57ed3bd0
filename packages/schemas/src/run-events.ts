interface RunEventAbout {
  readonly kind: string;
  /** For people. */
  readonly when: string;
  /** The type of the event for others that goes with it, if there is one. */
  readonly told?: string;
}

/** Every kind of event that a run has: there is no other. */
export const RUN_EVENTS = [
  { kind: "created", when: "it was started; `leasedBy`: it belongs to that process from the start", told: "created" },
  { kind: "leased", when: "a process has claimed it (`by`)" },
  { kind: "started", when: "an attempt of it has begun", told: "started" },
  { kind: "retried", when: "another attempt, or another try of a call, is planned (`retryAt`)", told: "retried" },
  { kind: "succeeded", when: "it has ended, with a result", told: "succeeded" },
  { kind: "failed", when: "it has ended, with this error", told: "failed" },
  { kind: "cancelling", when: "it was told to end, for this reason" },
  { kind: "cancelled", when: "it has ended since it was cancelled", told: "cancelled" },
  { kind: "paused", when: "someone has paused it", told: "paused" },
  { kind: "resumed", when: "someone has resumed it", told: "resumed" },
  { kind: "stopped", when: "it must not go on, for this reason, and waits for an operator", told: "stopped" },
  { kind: "signalled", when: "it has taken a signal with this value" },
  { kind: "undelivered", when: "mail came too late for it, or is no value" },
  { kind: "revived", when: "it had ended with this status, and lives again to be rolled back" },
  { kind: "rolled back", when: "it has returned to its state after the input `to`", told: "rolled_back" },
  { kind: "superseded", when: "the inputs `from` to `to` count no more: it was rolled back to before them" },
  { kind: "rollback refused", when: "it could not return to that state" },
  { kind: "forked", when: "another run was made of its state after an input" },
  { kind: "debounced", when: "another start moved its time, and gave it another input" },
  { kind: "skipped", when: "its schedule started no other run while this one lived" },
  { kind: "deleted", when: "it was deleted, for this reason" },
  { kind: "restored", when: "it was deleted, and is as it was before" },
  { kind: "log", when: "its body has logged something" },
  { kind: "progress", when: "its body has reported progress" },
  { kind: "warning", when: "something in its body looks wrong" },
  { kind: "forbidden", when: "a fork wanted to emit what it may not" },
  { kind: "compensation registered", when: "something is to be undone if it fails" },
  { kind: "compensation failed", when: "something could not be undone" },
  { kind: "dead letter refused", when: "it has failed, and the run that should have followed could not be started" },
] as const satisfies readonly RunEventAbout[];

export type RunEventKind = (typeof RUN_EVENTS)[number]["kind"];

/** What is told of runs, as a type of events for others: `cairn.run.failed.v1`. */
export function toldType(told: string): string {
  return `cairn.run.${told}.v1`;
}

/** Types of events for those who want to be woken at night. */
export const ALERT_TYPES = {
  exhausted: "cairn.alert.exhausted.v1",
  noHandler: "cairn.alert.no_handler_registered.v1",
} as const;
