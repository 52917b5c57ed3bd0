export const RUN_STATUSES = ["pending", "leased", "succeeded", "failed", "cancelled"] as const;
export type RunStatusName = (typeof RUN_STATUSES)[number];

export interface RunTransition {
  /** Null: there was no run. */
  readonly from: RunStatusName | null;
  readonly to: RunStatusName;
  /** For people. */
  readonly when: string;
}

/** Every way in which the status of a run changes: there is no other. */
export const RUN_TRANSITIONS: readonly RunTransition[] = [
  { from: null, to: "pending", when: "it is started" },
  { from: null, to: "leased", when: "it is started by a process that has room for it" },
  { from: "pending", to: "leased", when: "a process claims it" },
  {
    from: "leased",
    to: "pending",
    when: "it waits, is paused, is to be tried again, or its process hands it over or is gone",
  },
  { from: "leased", to: "succeeded", when: "its body has returned" },
  {
    from: "leased",
    to: "failed",
    when: "its body has thrown, and no attempt is left; its deadline has passed; it was given up",
  },
  { from: "leased", to: "cancelled", when: "someone has cancelled it, and its compensations have run" },
  { from: "pending", to: "cancelled", when: "someone cancels it before it has begun" },
  { from: "failed", to: "pending", when: "an operator retries it, or rolls it back" },
  { from: "succeeded", to: "pending", when: "an operator rolls it back" },
  { from: "cancelled", to: "pending", when: "an operator rolls it back" },
];
