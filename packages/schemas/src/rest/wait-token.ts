import { z } from "zod";
import { wholeNumber } from "../number.ts";
import { Name } from "../text.ts";
import { AnsweredTime } from "./time.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** For how long a token is valid at most. */
export const TOKEN_MS_MAX = 366 * DAY_MS;

/** A token that sends one signal, for e-mails and webhooks. */
export const NewWaitTokenBody = z.strictObject({
  /** The name of the signal. */
  signal: Name,
  /** The value that is sent, of 2,000 bytes at most; without it, whoever has the token says it. */
  value: z.exactOptional(z.unknown()),
  expiresInMs: wholeNumber(1_000, TOKEN_MS_MAX).default(7 * DAY_MS),
});

export const WaitToken = z.strictObject({
  token: z.string(),
  /** Where it is used: opened in a browser, it asks; posted to, it sends. */
  url: z.string(),
  expiresAt: AnsweredTime,
});
export type WaitToken = z.infer<typeof WaitToken>;

export const WaitTokenPath = z.strictObject({ token: z.string() });

/** What a token is for. */
export const WaitTokenDetails = z.strictObject({
  signal: z.string(),
  runId: z.string(),
  expiresAt: AnsweredTime,
  /** Whether it says the value itself. */
  hasValue: z.boolean(),
  /** It was sent before, and is not sent again. */
  isUsed: z.boolean(),
});

/** Of a token without a value: what is sent, whatever it is. */
export const PostedValue = z.unknown();

export const UsedWaitToken = z.strictObject({
  runId: z.string(),
  signal: z.string(),
  /** It was sent before: it is not sent again. */
  existed: z.boolean(),
});

/** Of the key that tokens of all namespaces are signed with. */
export const RotateSigningKeyBody = z
  .strictObject({
    /** What was signed before ends at once; else it is valid until it expires. */
    revoke: z.exactOptional(z.boolean()),
  })
  .nullish();

export const RotatedSigningKey = z.strictObject({
  /** Of the one that signs now. */
  id: z.string(),
  /** Keys from before whose tokens are still valid. */
  earlier: z.int(),
});
export type RotatedSigningKey = z.infer<typeof RotatedSigningKey>;
