import { z } from "zod";
import { SCOPES } from "../scope.ts";
import { Name, ShownName, Uuid } from "../text.ts";
import { InNamespace, InPages, sortedBy } from "./page.ts";
import { QueryBoolean } from "./run-filter.ts";
import { AnsweredTime, TimeText } from "./time.ts";

const Scopes = z.array(z.enum(SCOPES)).min(1, "must have a scope at least").max(SCOPES.length);

export const KeyPath = z.strictObject({ id: Uuid });

/** Of keys, who may be in all namespaces sees all, unless the query says one. */
export const ListKeys = z.strictObject({
  ...InPages.shape,
  name: z.exactOptional(Name),
  /** Those that have it, whatever else they have. */
  scope: z.exactOptional(z.enum(SCOPES)),
  /** Those that were revoked, or those that were not. */
  revoked: z.exactOptional(QueryBoolean),
  sort: sortedBy(["createdAt"], "-createdAt"),
});
export const ShowKey = InNamespace;

export const CreateKeyBody = z.strictObject({
  /** It is shown wherever something is said of the key. */
  name: ShownName,
  scopes: Scopes,
  /** Without it, it does not expire. */
  expiresAt: z.exactOptional(TimeText),
});
export type CreateKeyBody = z.infer<typeof CreateKeyBody>;

export const KeySummary = z.strictObject({
  id: z.string(),
  /** The only one that it is for; null: all. */
  namespace: z.string().nullable(),
  name: z.string(),
  /** What it begins with, behind `cairn_`. */
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: AnsweredTime,
  createdBy: z.string(),
  expiresAt: AnsweredTime.nullable(),
  revokedAt: AnsweredTime.nullable(),
  /** Written down once a minute at most. */
  lastUsedAt: AnsweredTime.nullable(),
});
export type KeySummary = z.infer<typeof KeySummary>;

/** With the key itself, which is never told again. */
export const CreatedKey = KeySummary.extend({ key: z.string() });
export type CreatedKey = z.infer<typeof CreatedKey>;

export const LoginBody = z.strictObject({ key: z.string().min(1).max(10_000) });

/** Who asks. */
export const Me = z.strictObject({
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** The only one that it may be in; null: any. */
  namespace: z.string().nullable(),
});
export type Me = z.infer<typeof Me>;
