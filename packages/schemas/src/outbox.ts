import { z } from "zod";
import { TIMER_MS_MAX } from "./limits.ts";
import { wholeNumber } from "./number.ts";
import { SecretName } from "./secret.ts";
import { Name, PathName, RunId } from "./text.ts";

/** Where a secret is found: never the secret itself. */
export const SecretReference = z.union([
  z.strictObject({ env: Name }),
  z.strictObject({ file: Name }),
  /** Of the namespace, by its name. */
  z.strictObject({ secret: SecretName }),
]);
export type SecretReference = z.infer<typeof SecretReference>;

/** A type of events, or its beginning before a star: `order.*`, or `*` for all but what Cairn itself tells. */
export const EventPattern = Name.regex(
  /^(?:\*|[^*\s]+\.\*|[^*\s]*[^*\s.])$/,
  "is a type such as order.paid.v1, a beginning such as order.*, or *",
);

const HEADERS_MAX = 20;
const SECRETS_MAX = 5;
const PATTERNS_MAX = 100;

/** They belong to the connection, or are ours. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|content-type|expect|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|webhook-.*)$/i;

export const WebhookTarget = z.strictObject({
  kind: z.literal("webhook"),
  url: Name.regex(/^https?:\/\/[^\s/]+/, "is an address such as https://example.com/hooks").refine(
    (url) => URL.canParse(url) && new URL(url).username === "" && new URL(url).password === "",
    "is an address without a name and a password: say them in a header that is a secret",
  ),
  /** By each of these it is signed: for changing one, there are two for a while. */
  secrets: z.exactOptional(z.array(SecretReference).max(SECRETS_MAX)),
  /** Further ones; what is a secret is named. */
  headers: z.exactOptional(
    z
      .record(
        z
          .string()
          .regex(/^[A-Za-z0-9-]{1,100}$/, "is the name of a header")
          .refine((name) => !OWN_HEADERS.test(name), "is a header that Cairn or the connection sets"),
        z.union([Name, SecretReference]),
      )
      .refine((headers) => Object.keys(headers).length <= HEADERS_MAX, `has at most ${HEADERS_MAX} headers`),
  ),
});
export type WebhookTarget = z.infer<typeof WebhookTarget>;

export const NatsTarget = z.strictObject({
  kind: z.literal("nats"),
  /** Of one server or several, with commas between. */
  url: Name.refine((url) => !url.includes("@"), "has no name and password: give a token or credentials"),
  /** Events are published as `subject.type`. */
  subject: Name.regex(/^[^\s.*>]+(?:\.[^\s.*>]+)*$/, "is a subject such as shop.events"),
  token: z.exactOptional(SecretReference),
  /** What is in a file of credentials, as `nsc` makes them. */
  credentials: z.exactOptional(SecretReference),
});
export type NatsTarget = z.infer<typeof NatsTarget>;

export const FileTarget = z.strictObject({
  kind: z.literal("file"),
  path: Name,
  /** A file that has more is put aside, and another one begun. */
  rotateBytes: z.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
});
export type FileTarget = z.infer<typeof FileTarget>;

/** What the process itself brings, by the name under which it was given. */
export const PortTarget = z.strictObject({ kind: z.literal("port"), port: Name });
export type PortTarget = z.infer<typeof PortTarget>;

export const SubscriptionTarget = z.discriminatedUnion("kind", [WebhookTarget, NatsTarget, FileTarget, PortTarget]);
export type SubscriptionTarget = z.infer<typeof SubscriptionTarget>;

/** Who wants which events, and where. */
export const NewSubscription = z.strictObject({
  name: PathName,
  types: z.array(EventPattern).min(1).max(PATTERNS_MAX),
  target: SubscriptionTarget,
  /** Of one event, before it is a dead letter: 15. */
  maxAttempts: z.exactOptional(wholeNumber(1, 1_000)),
  /** Of one attempt: 10 s. */
  timeoutMs: z.exactOptional(wholeNumber(1, 10 * 60 * 1_000)),
  /** Before the second attempt: 1 s; then twice as long each time, and up to a half more. */
  backoffMs: z.exactOptional(wholeNumber(1, TIMER_MS_MAX)),
  /** At most: 5 minutes. */
  backoffMaxMs: z.exactOptional(wholeNumber(1, TIMER_MS_MAX)),
});
export type NewSubscription = z.infer<typeof NewSubscription>;

const EventNumber = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** What was not taken, by what it is; without anything it would be all: that has to be said. */
export const LetterFilter = z
  .strictObject({
    /** Of the event. */
    id: z.exactOptional(EventNumber),
    subscription: z.exactOptional(Name),
    type: z.exactOptional(Name),
    runId: z.exactOptional(RunId),
    all: z.exactOptional(z.literal(true)),
  })
  .refine(
    (filter) => Object.keys(filter).length > 0,
    "names an id, a subscription, a type or a run, or says all: true",
  );
export type LetterFilter = z.infer<typeof LetterFilter>;

export const OUTBOX_STATES = ["pending", "waiting", "dead", "published"] as const;

/** Events of the outbox, the newest first. */
export const OutboxFilter = z.strictObject({
  /** Pending: was not offered yet. Waiting: someone did not take it. Dead: someone never will, by itself. */
  state: z.exactOptional(z.enum(OUTBOX_STATES)),
  type: z.exactOptional(Name),
  runId: z.exactOptional(RunId),
  /** With `state` waiting or dead: for whom. */
  subscription: z.exactOptional(Name),
  limit: z.exactOptional(wholeNumber(1, 1_000)),
  /** Of an event: those that are older. */
  before: z.exactOptional(EventNumber),
});
export type OutboxFilter = z.infer<typeof OutboxFilter>;
