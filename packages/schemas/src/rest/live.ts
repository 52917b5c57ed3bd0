import { z } from "zod";
import { RUN_EVENTS } from "../run-events.ts";
import { Name, storableText } from "../text.ts";
import type { AuditEntry } from "./audit.ts";
import { CURSOR_LENGTH_MAX, InNamespace, oneOrSeveral } from "./page.ts";
import { AnsweredTime } from "./time.ts";

/** Of the last thing that was seen: what came after it is told. */
const After = z.string().max(CURSOR_LENGTH_MAX);

/** `data` of a `step`: an input that the run has taken. */
export const LiveStep = z.strictObject({
  number: z.int(),
  kind: z.string(),
  call: z.string().nullable(),
  node: z.string().nullable(),
  name: z.string().nullable(),
});
export type LiveStep = z.infer<typeof LiveStep>;

/** Something that has happened to a run, as it is told to those who watch. */
export const LiveEvent = z.strictObject({
  /** For `after`, or as `Last-Event-ID`: this, and what came before it, is not told again. */
  cursor: z.string(),
  runId: z.string(),
  /** Of the run. */
  type: z.string(),
  /** That of an event, or `step`: an input that the run has taken. */
  kind: z.string(),
  data: z.union([LiveStep, z.unknown()]),
  /** What goes with it is too long to be told: it is among the events of the run. */
  cut: z.exactOptional(z.literal(true)),
  at: AnsweredTime,
});
export type LiveEvent = z.infer<typeof LiveEvent>;

/** A piece of what a call streams, as it is told to those who watch. */
export const LiveChunk = z.strictObject({
  call: z.string(),
  attempt: z.int(),
  number: z.int(),
  value: z.unknown(),
  at: AnsweredTime,
});
export type LiveChunk = z.infer<typeof LiveChunk>;

/** Why a stream ends before all was told. */
export const DROPPED_REASONS = ["slow", "closing", "unknown cursor", "expired", "access", "too many messages"] as const;
export type DroppedReason = (typeof DROPPED_REASONS)[number];

/** The last thing that is told then. */
export const LiveDropped = z.strictObject({ reason: z.enum(DROPPED_REASONS) });
export type LiveDropped = z.infer<typeof LiveDropped>;

/** All was told. */
export const LiveEnd = z.strictObject({});

const KINDS = RUN_EVENTS.map(({ kind }) => kind) as [string, ...string[]];

const filter = {
  /** A type, or a beginning of types: `billing.*`. */
  type: z.exactOptional(Name),
  tag: z.exactOptional(Name),
};

/** Browsers that come back say so what they saw last. It counts more than the query, which they keep. */
export const ResumedByHeader = z.looseObject({ "last-event-id": z.exactOptional(After) });

export const FollowRun = z.strictObject({ ...InNamespace.shape, after: z.exactOptional(After) });

export const FollowEvents = z.strictObject({
  ...FollowRun.shape,
  ...filter,
  kind: z.exactOptional(oneOrSeveral(KINDS)),
});

const Topic = storableText(1, 200);

/** What is said to `/ws`. */
export const SocketRequest = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("hello"), token: z.exactOptional(z.string().max(1_000)) }),
  z.strictObject({ op: z.literal("ping") }),
  z.strictObject({
    op: z.literal("subscribe"),
    topic: Topic,
    after: z.exactOptional(After),
    filter: z.exactOptional(z.strictObject({ ...filter, kind: z.exactOptional(z.array(z.enum(KINDS)).max(100)) })),
  }),
  z.strictObject({ op: z.literal("unsubscribe"), topic: Topic }),
]);
export type SocketRequest = z.infer<typeof SocketRequest>;

/** What `/ws` says. */
export type SocketAnswer =
  | { readonly op: "unsubscribed" | "end"; readonly topic: string }
  /** `cursor`: all that comes behind it is told from now on; null: that is not known. */
  | { readonly op: "subscribed"; readonly topic: string; readonly cursor: string | null }
  /** All up to it was told, or is not for this subscription. */
  | { readonly op: "cursor"; readonly topic: string; readonly cursor: string }
  | {
      readonly op: "event";
      readonly topic: string;
      readonly event: LiveEvent | (AuditEntry & { readonly cursor: string });
    }
  | { readonly op: "hello" | "pong" }
  | { readonly op: "error"; readonly code: string; readonly detail: string; readonly topic?: string }
  | { readonly op: "dropped"; readonly reason: DroppedReason; readonly topic?: string };
