/** What a warning is about, for programs: logs show it beside the text. */
export interface WarningFacts {
  readonly namespace?: string;
  readonly runId?: string;
  readonly call?: string;
  readonly attempt?: number;
  readonly action?: string;
  readonly subscription?: string;
}

/** Tells people who look after a process that something is not as it should be. */
export type Warn = (message: string, error: unknown, about?: WarningFacts) => void;
