import { LiveChunk, LiveEvent } from "@cairnjs/schemas/rest";
import type { Operation } from "./operation.ts";

const DURABLE = "It is durable that this is wanted; it happens soon";
const OF_A_RUN = ["NotFound", "BlobMissing", "BlobUnreadable"] as const;
const EVENT_STREAM = "text/event-stream";
const SENT_EVENTS =
  "Server-sent events: the id of each is its cursor; `end` when all was told, `dropped` with a reason before the server ends it. `x-cairn-events` has the schemas of their data, by the name of the event.";

const SEEN = "`Last-Event-ID` is that of the end: there is nothing more";

/** Of runs: starting them, looking at them, what is wanted of them. */
export const RUN_OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /v1/runs": {
    id: "startRun",
    summary: "Starts a run",
    description:
      "With an `id` of your own (a UUID of version 7), a start of which you do not know whether it worked can be repeated.",
    problems: [
      "InvalidId",
      "InvalidInput",
      "InvalidOption",
      "DeadlinePassed",
      "UnknownType",
      "IdConflict",
      "IdempotencyConflict",
      "HeldUp",
    ],
    answers: { 200: "The same start was made before", 201: "A run was started" },
    example: { type: "shop.checkout.v1", payload: { order: "A-17", cents: 4200 } },
  },
  "POST /v1/runs/batch": {
    id: "startRuns",
    summary: "Starts up to 10,000 runs",
    description: "What is wrong with one of them is its own problem, and keeps none of the others from it.",
    answers: { 200: "What became of each, in their order" },
    example: { runs: [{ type: "shop.checkout.v1", payload: { order: "A-17" } }, { type: "shop.checkout.v1" }] },
  },
  "POST /v1/runs/bulk": {
    id: "changeRuns",
    summary: "The same order for all runs of a filter",
    description: "Up to 1,000 in one call; while `next` is not null, the same request with it as `cursor` goes on.",
    problems: ["IdempotencyConflict"],
    example: { action: "cancel", filter: { type: "billing.*", status: ["pending", "leased"] }, dryRun: true },
  },
  "POST /v1/runs/wait": {
    id: "waitForRuns",
    summary: "Which of up to 1,000 runs have ended",
    description:
      "If none has, waits for the first of them, for `waitMs`. What they returned is asked for one by one, by `/result`.",
    answers: { 200: "Those that have ended, or are not there; none after `waitMs`" },
    example: { ids: ["01a1e117-9295-798b-8091-0c70e9ba8d64"], waitMs: 30_000 },
  },
  "GET /v1/runs": { id: "listRuns", summary: "Runs, the newest first" },
  "GET /v1/runs/:id": { id: "getRun", summary: "A run with its input, and its result or error", problems: OF_A_RUN },
  "GET /v1/runs/:id/result": {
    id: "getResult",
    summary: "How a run has ended",
    description: "Waits for `waitMs`, if it has not.",
    problems: [...OF_A_RUN, "RunDeleted"],
    answers: { 200: "It has ended", 202: "It has not ended within `waitMs`" },
  },
  "GET /v1/runs/:id/steps": { id: "listSteps", summary: "What it did", problems: [...OF_A_RUN, "UnknownType"] },
  "GET /v1/runs/:id/attempts": { id: "listAttempts", summary: "The tries of its calls", problems: OF_A_RUN },
  "GET /v1/runs/:id/history": {
    id: "listHistory",
    summary: "The inputs that it took",
    problems: [...OF_A_RUN, "UnknownType"],
  },
  "GET /v1/runs/:id/events": { id: "listRunEvents", summary: "What happened to it", problems: ["NotFound"] },
  "GET /v1/runs/:id/state": {
    id: "getState",
    summary: "What it knew and waited for after an input",
    problems: [...OF_A_RUN, "UnknownType"],
  },
  "GET /v1/runs/:id/stream": {
    id: "followRun",
    summary: "What happens to it, as it happens",
    description: `From its beginning, or after a cursor. ${SENT_EVENTS}`,
    contentType: EVENT_STREAM,
    streams: LiveEvent,
    answers: { 200: "Events whose data is a `LiveEvent`, that of a `step` with a `LiveStep`", 204: SEEN },
    problems: ["NotFound"],
  },
  "GET /v1/runs/:id/chunks": {
    id: "followChunks",
    summary: "What its actions stream, as it comes",
    description: SENT_EVENTS,
    contentType: EVENT_STREAM,
    streams: LiveChunk,
    answers: { 200: "Events whose data is a `LiveChunk`", 204: SEEN },
    problems: ["NotFound", "InvalidOption"],
  },
  "GET /v1/events/stream": {
    id: "followEvents",
    summary: "What happens to all runs of a filter, as it happens",
    description: `From now on, or after a cursor. ${SENT_EVENTS}`,
    contentType: EVENT_STREAM,
    streams: LiveEvent,
    answers: { 200: "Events whose data is a `LiveEvent`" },
  },
  "GET /v1/runs/:id/export": {
    id: "exportRun",
    summary: "All that it takes to run it again, offline",
    problems: [...OF_A_RUN, "UnknownType"],
  },
  "POST /v1/runs/:id/cancel": {
    id: "cancelRun",
    summary: "Cancels a run",
    description: "Of one that is being cancelled, or was, it answers the same.",
    problems: ["NotFound", "RunEnded", "RunDeleted"],
    answers: { 202: DURABLE },
    example: { reason: "the customer changed their mind" },
  },
  "POST /v1/runs/:id/pause": {
    id: "pauseRun",
    summary: "Lets a run take no further inputs",
    problems: ["NotFound", "RunEnded", "RunDeleted"],
    answers: { 202: DURABLE },
  },
  "POST /v1/runs/:id/resume": {
    id: "resumeRun",
    summary: "Lets a paused run go on",
    problems: ["NotFound", "RunEnded", "RunDeleted"],
    answers: { 202: DURABLE },
  },
  "POST /v1/runs/:id/restore": {
    id: "restoreRun",
    summary: "Takes back that a run was deleted",
    problems: ["NotFound", "IdempotencyConflict", "HeldUp"],
    answers: { 202: DURABLE },
  },
  "POST /v1/runs/:id/retry": {
    id: "retryRun",
    summary: "Lets a failed run begin again",
    problems: ["NotFound", "WrongStatus", "RunDeleted"],
    answers: { 202: DURABLE },
  },
  "POST /v1/runs/:id/signal": {
    id: "signalRun",
    summary: "Sends a signal to a run",
    description: "With the same `key` it is sent once; another one with it is refused.",
    problems: ["NotFound", "RunEnded", "RunDeleted", "InvalidInput", "IdempotencyConflict"],
    answers: { 202: DURABLE },
    example: { name: "approval", value: { by: "ada" } },
  },
  "POST /v1/runs/:id/rollback": {
    id: "rollBackRun",
    summary: "Takes a run back to an earlier state",
    problems: [
      ...OF_A_RUN,
      "UnknownType",
      "InvalidOption",
      "WrongStatus",
      "Superseded",
      "CompensationsRan",
      "RunEnded",
      "RunDeleted",
      "IdempotencyConflict",
    ],
    answers: { 202: DURABLE },
    example: { to: 1 },
  },
  "POST /v1/runs/:id/fork": {
    id: "forkRun",
    summary: "Starts a run with a state of another",
    problems: [
      ...OF_A_RUN,
      "UnknownType",
      "InvalidId",
      "InvalidOption",
      "DeadlinePassed",
      "WrongStatus",
      "Superseded",
      "IdConflict",
      "IdempotencyConflict",
      "RunDeleted",
    ],
    example: { from: 1 },
  },
  "DELETE /v1/runs/:id": {
    id: "deleteRun",
    summary: "Deletes a run",
    problems: ["NotFound"],
    answers: { 202: DURABLE },
  },
  "GET /v1/runs/:id/timeline": {
    id: "listTimeline",
    summary: "All that happened to it, and who wanted it",
    problems: [...OF_A_RUN, "UnknownType"],
  },
  "POST /v1/runs/:id/tokens": {
    id: "createWaitToken",
    summary: "Makes an address that sends one signal",
    problems: ["NotFound", "RunEnded", "RunDeleted", "NoMasterKey", "WrongMasterKey", "HeldUp"],
    example: { signal: "approval", value: { by: "ada" }, expiresInMs: 86_400_000 },
  },
  "POST /v1/signing-key/rotate": {
    id: "rotateSigningKey",
    tag: "tokens",
    summary: "Signs such addresses with a new key from now on; with `revoke`, all from before end",
    problems: ["NoMasterKey", "WrongMasterKey", "HeldUp"],
    example: { revoke: true },
  },
  "GET /v1/tokens/:token": {
    id: "getWaitToken",
    summary: "What such an address is for; browsers get a page with a button",
    description:
      "Who accepts `text/html` gets a page, also of a problem. Opening it sends nothing: programs open what is linked in e-mails.",
    problems: ["NotFound", "TokenExpired"],
    hasPage: true,
  },
  "POST /v1/tokens/:token": {
    id: "useWaitToken",
    summary: "Sends the signal, once",
    description:
      "Of a token without a value, the body is what is sent: JSON (also `application/*+json`) as it is, a form as an object of texts, a text; without a body, undefined. Who accepts `text/html` gets a page, also of a problem.",
    bodies: {
      "application/x-www-form-urlencoded": {
        type: "object",
        additionalProperties: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      },
      "text/plain": { type: "string" },
    },
    hasPage: true,
    problems: ["NotFound", "TokenExpired", "RunEnded", "RunDeleted", "InvalidInput", "IdempotencyConflict"],
    answers: { 202: DURABLE },
  },
};
