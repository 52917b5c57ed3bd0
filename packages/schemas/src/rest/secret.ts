import { z } from "zod";
import { SecretName, SecretValue } from "../secret.ts";
import { InPages, sortedBy } from "./page.ts";
import { AnsweredTime } from "./time.ts";

/** Secrets of a namespace, by name. */
export const ListSecrets = z.strictObject({
  ...InPages.shape,
  name: z.exactOptional(SecretName),
  sort: sortedBy(["name", "changedAt"], "name"),
});

export const SecretPath = z.strictObject({ name: SecretName });
export type SecretPath = z.infer<typeof SecretPath>;

export const SetSecretBody = z.strictObject({ value: SecretValue });
export type SetSecretBody = z.infer<typeof SetSecretBody>;

/** All that is told of a secret. */
export const SecretSummary = z.strictObject({
  name: z.string(),
  /** Counts how often it was set. */
  version: z.int(),
  changedAt: AnsweredTime,
  /** Who has set it. */
  changedBy: z.string(),
});
export type SecretSummary = z.infer<typeof SecretSummary>;

/** Of all namespaces. */
export const RotatedSecrets = z.strictObject({
  /** Encrypted by the new data key. */
  secrets: z.int(),
  /** Those that could not be read, as `namespace/name`. */
  unreadable: z.array(z.string()),
});
export type RotatedSecrets = z.infer<typeof RotatedSecrets>;

export const RewrapSecretsBody = z
  .strictObject({
    /** Whoever has only the master key from before can read nothing more. Refused by who has one that a later one has replaced. */
    removeOld: z.exactOptional(z.boolean()),
    /** The id of the master key that is to wrap all data keys: who has another one refuses. */
    masterKey: z.exactOptional(z.string().regex(/^[0-9a-f]{16}$/)),
  })
  .nullish();

export const RewrappedSecrets = z.strictObject({
  /** The id of the master key that wraps all data keys now. */
  masterKey: z.string(),
  /** Data keys that it did not wrap before. */
  added: z.int(),
  /** Wraps by other master keys that were removed. */
  removed: z.int(),
  /** The ids of those master keys. */
  removedMasterKeys: z.array(z.string()),
  /** The ids of others, which still wrap some. */
  otherMasterKeys: z.array(z.string()),
});
export type RewrappedSecrets = z.infer<typeof RewrappedSecrets>;
