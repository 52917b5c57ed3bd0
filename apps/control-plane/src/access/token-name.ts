import { scryptSync } from "node:crypto";
import { SCOPES } from "@cairnjs/schemas";
import type { AccessToken } from "./access.ts";

/** Ten milliseconds or so. */
const COST = 4_096;
const MARK_BYTES = 2;

/** What tokens of the settings are called, for those who read what was done with them: which it is, and what it is for. */
export function tokenName({ token, namespace, scopes = SCOPES }: AccessToken): string {
  const where = namespace === undefined ? "" : ` of ${namespace}`;
  const what = SCOPES.every((scope) => scopes.includes(scope)) ? "all scopes" : scopes.join("+");
  return `the token ${tokenMark(token)}${where} (${what})`;
}

/**
 * Tells tokens apart, at all control planes and after each restart. Tokens may be thought of by people, and others read this: so it has few
 * bits, which fit many guesses, and takes long to make.
 */
export function tokenMark(token: string): string {
  return scryptSync(token, "the name of a token of cairn", MARK_BYTES, { N: COST }).toString("hex");
}
