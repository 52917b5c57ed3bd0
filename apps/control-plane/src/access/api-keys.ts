import { includesScope, type Scope, ShownName } from "@cairnjs/schemas";
import { Refused } from "../hub/refused.ts";
import { parseNoun } from "../library/parse-noun.ts";
import { type ApiKey, createApiKey } from "../store/api-keys.ts";
import type { Queryable } from "../store/statement.ts";
import type { Caller } from "./caller.ts";
import { newKeyText } from "./key-text.ts";

export interface WantedKey {
  readonly namespace: string | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
}

/** A key, and for this once what it takes to use it. */
export interface MadeKey {
  readonly about: ApiKey;
  readonly text: string;
}

export async function makeKey(client: Queryable, wanted: WantedKey, createdBy: string): Promise<MadeKey> {
  parseNoun(ShownName, "The name of a key", wanted.name);
  const { text, prefix, hash } = newKeyText();
  const scopes = [...new Set(wanted.scopes)];
  return { text, about: await createApiKey(client, { ...wanted, scopes, prefix, hash, createdBy }) };
}

/** Nobody gives what he does not have. */
export function checkGivenScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !includesScope(caller.scopes, scope));
  if (missing === undefined) return;
  throw new Refused("Forbidden", `${caller.name} does not have the scope ${missing}, and cannot give it`);
}

/** Nor for longer than he has it: he would come back by it. */
export function checkGivenExpiry(caller: Caller, expiresAt: number | null, latest: number | null): void {
  if (latest === null || expiresAt === null || expiresAt <= latest) return;
  throw new Refused("Forbidden", `${caller.name} expires before that, and cannot give what it has for longer`);
}
