import { Refused } from "../hub/refused.ts";

/** Why nobody is known by what was said. */
export const UNKNOWN_REASONS = ["wrong", "expired", "revoked", "session"] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** A key that was one. */
export interface DeadKey {
  readonly id: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly prefix: string;
}

/** Someone said a key, a token or the secret of a session that is nobody's. He is told no more than that; we know more. */
export class Unknown extends Refused {
  readonly why: UnknownReason;
  readonly key: DeadKey | null;

  constructor(why: UnknownReason, key: DeadKey | null = null) {
    const isSession = why === "session";
    super(
      "Unauthenticated",
      isSession ? "This session is over: log in again" : "Nobody has this token or key, or it is over",
    );
    this.why = why;
    this.key = key;
  }
}
