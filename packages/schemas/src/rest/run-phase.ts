/** What a run that lives is doing, for people. */
export const RUN_PHASES = ["ready", "running", "sleeping", "waiting", "paused", "cancelling", "compensating"] as const;
export type RunPhase = (typeof RUN_PHASES)[number];
