import type { CreatedKey, KeySummary } from "@cairnjs/schemas/rest";
import type { MadeKey } from "../access/api-keys.ts";
import type { ApiKey } from "../store/api-keys.ts";
import { timeOf, timeOrNull } from "./json-values.ts";

export function keySummary(key: ApiKey): KeySummary {
  return {
    ...key,
    scopes: [...key.scopes],
    createdAt: timeOf(key.createdAt),
    expiresAt: timeOrNull(key.expiresAt),
    revokedAt: timeOrNull(key.revokedAt),
    lastUsedAt: timeOrNull(key.lastUsedAt),
  };
}

export function createdKey({ about, text }: MadeKey): CreatedKey {
  return { ...keySummary(about), key: text };
}
