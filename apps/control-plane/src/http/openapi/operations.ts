import type { Operation } from "./operation.ts";
import { RUN_OPERATIONS } from "./run-operations.ts";

/** With `If-None-Match` and the `ETag` of it. */
const KNOWN = { 304: "As whoever asks has it already" };
const OF_MASTER_KEYS = ["NoMasterKey", "WrongMasterKey", "HeldUp"] as const;

/**
 * Of each route, by method and path. One table and not a line in each route: it is read as the contents of REST, and the list of ids is
 * the promise to those who generate clients. A test fails for a route that is not here.
 */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /health": { id: "isAlive", summary: "Whether the process lives" },
  "GET /ready": {
    id: "isReady",
    summary: "Whether it does what it is for",
    description: "The database answers, has the schema, and knows the leases of this process as kept.",
    problems: ["Closed", "Unavailable"],
  },
  "GET /metrics": {
    id: "getMetrics",
    summary: "Metrics, for Prometheus",
    contentType: "text/plain",
    needsNoDatabase: true,
  },
  "GET /openapi.json": { id: "getOpenApi", summary: "This document", answers: KNOWN },
  "GET /docs": { id: "getDocs", summary: "This document, for people", contentType: "text/html", answers: KNOWN },
  "GET /v1/health": {
    id: "getHealth",
    summary: "Which control plane it is, and the time of the database",
    needsNoDatabase: true,
  },
  "GET /v1/health/live": { id: "getLiveness", summary: "Whether the process lives", needsNoDatabase: true },
  "GET /v1/health/ready": { id: "getReadiness", summary: "Whether it does what it is for" },
  "GET /v1/metrics": {
    id: "getV1Metrics",
    summary: "Metrics, for Prometheus",
    description: "For those who may ask in all namespaces.",
    contentType: "text/plain",
    needsNoDatabase: true,
  },

  ...RUN_OPERATIONS,

  "GET /v1/audit": { id: "listAudit", summary: "Who did what" },
  "GET /v1/audit/summary": { id: "getAuditSummary", summary: "How often, by who and what" },

  "GET /v1/workflows": { id: "listWorkflows", summary: "What can be started" },
  "GET /v1/workflows/:name": {
    id: "getWorkflow",
    summary: "One of them, with the JSON Schema of its input",
    problems: ["UnknownType"],
  },
  "GET /v1/workflows/:name/versions": {
    id: "listVersions",
    summary: "Its versions, the newest first",
    problems: ["UnknownType"],
  },
  "GET /v1/workflows/:name/versions/:version": {
    id: "getVersion",
    summary: "A version, and the sources that it was made of",
    problems: ["UnknownType"],
  },
  "GET /v1/workflows/:name/versions/:version/source": {
    id: "getVersionSource",
    summary: "Its code, as it was written",
    problems: ["UnknownType", "NotFound"],
  },
  "GET /v1/workflows/:name/versions/:version/listing": {
    id: "getVersionListing",
    summary: "What was made of it, for people",
    problems: ["UnknownType"],
  },
  "GET /v1/workflows/:name/versions/:version/graph": {
    id: "getVersionGraph",
    summary: "Its calls, and which come after which",
    problems: ["UnknownType"],
  },
  "POST /v1/workflows/:name/promote": {
    id: "promoteVersion",
    summary: "Lets new runs have a version",
    problems: ["UnknownType"],
    example: { version: "2026-11-16" },
  },
  "GET /v1/workers": { id: "listWorkers", summary: "Workers of the namespace, and how they do" },

  "GET /v1/limits": { id: "listLimits", summary: "What limits actions, who has slots, and who waits" },

  "GET /v1/schedules": { id: "listSchedules", summary: "Schedules, by type and name" },
  "GET /v1/schedules/:type/:name": {
    id: "getSchedule",
    summary: "A schedule, and its next times",
    problems: ["NotFound"],
  },
  "PUT /v1/schedules/:type/:name": {
    id: "putSchedule",
    summary: "Makes a schedule, or makes it what is said",
    problems: ["InvalidInput", "InvalidOption", "UnknownType"],
    example: { cron: "0 3 * * *", timeZone: "Europe/Berlin", payload: { full: true } },
  },
  "POST /v1/schedules/:type/:name/pause": {
    id: "pauseSchedule",
    summary: "Lets a schedule start nothing",
    problems: ["NotFound"],
  },
  "POST /v1/schedules/:type/:name/resume": {
    id: "resumeSchedule",
    summary: "Lets a paused schedule go on",
    problems: ["NotFound"],
  },
  "POST /v1/schedules/:type/:name/trigger": {
    id: "triggerSchedule",
    summary: "Starts a run of a schedule at once",
    problems: ["NotFound", "ScheduleBusy", "UnknownType", "InvalidInput", "IdempotencyConflict"],
  },
  "POST /v1/schedules/:type/:name/backfill": {
    id: "backfillSchedule",
    summary: "Starts the runs of times that are over",
    problems: ["NotFound", "InvalidOption", "UnknownType", "InvalidInput"],
    example: { from: "2026-11-01T00:00:00Z", to: "2026-11-07T00:00:00Z" },
  },
  "DELETE /v1/schedules/:type/:name": {
    id: "deleteSchedule",
    summary: "Removes a schedule; its runs stay",
    problems: ["NotFound"],
  },

  "GET /v1/subscriptions": { id: "listSubscriptions", summary: "Who gets which events" },
  "GET /v1/subscriptions/:name": {
    id: "getSubscription",
    summary: "A subscription, and how it does",
    problems: ["NotFound"],
  },
  "PUT /v1/subscriptions/:name": {
    id: "putSubscription",
    summary: "Makes a subscription, or makes it what is said",
    problems: ["InvalidOption"],
    example: { types: ["shop.*"], target: { kind: "webhook", url: "https://example.com/hooks" } },
  },
  "POST /v1/subscriptions/:name/pause": {
    id: "pauseSubscription",
    summary: "Lets events wait for a subscriber",
    problems: ["NotFound"],
  },
  "POST /v1/subscriptions/:name/resume": {
    id: "resumeSubscription",
    summary: "Sends what has waited",
    problems: ["NotFound"],
  },
  "POST /v1/subscriptions/:name/test": {
    id: "testSubscription",
    summary: "Sends one event to a subscriber, from this control plane",
    problems: ["NotFound"],
  },
  "DELETE /v1/subscriptions/:name": {
    id: "deleteSubscription",
    summary: "Removes a subscription with all that waits for it",
    problems: ["NotFound"],
  },

  "GET /v1/outbox": { id: "listOutbox", summary: "Events for others, the newest first" },
  "GET /v1/outbox/stats": { id: "getOutboxStats", summary: "How the outbox stands" },
  "GET /v1/outbox/:id": {
    id: "getOutboxEvent",
    summary: "An event, its data, and for whom it waits",
    problems: ["NotFound"],
  },
  "POST /v1/outbox/redrive": {
    id: "redriveLetters",
    summary: "Offers dead letters again",
    problems: ["InvalidOption"],
    example: { subscription: "billing" },
  },
  "POST /v1/outbox/discard": {
    id: "discardLetters",
    summary: "Gives dead letters up",
    problems: ["InvalidOption"],
    example: { all: true },
  },

  "GET /v1/secrets": { id: "listSecrets", summary: "Secrets of the namespace: never what they are" },
  "PUT /v1/secrets/:name": {
    id: "setSecret",
    summary: "Sets a secret",
    problems: ["InvalidOption", ...OF_MASTER_KEYS],
    example: { value: "hunter2" },
  },
  "DELETE /v1/secrets/:name": { id: "removeSecret", summary: "Removes a secret", problems: ["NotFound"] },
  "POST /v1/secrets/rotate": {
    id: "rotateSecrets",
    summary: "Encrypts the secrets of all namespaces by a new data key",
    problems: OF_MASTER_KEYS,
  },
  "POST /v1/secrets/rewrap": {
    id: "rewrapSecrets",
    summary: "Wraps all data keys by the master key of this control plane",
    problems: OF_MASTER_KEYS,
    example: { removeOld: true },
  },

  "GET /v1/keys": { id: "listKeys", summary: "API keys, the newest first, without what it takes to use them" },
  "POST /v1/keys": {
    id: "createKey",
    summary: "Makes an API key",
    description: "For the namespace that is named, or for all.",
    answers: { 201: "The key, which is shown this once" },
    example: { name: "ci", scopes: ["operate"], expiresAt: "2027-12-31T00:00:00Z" },
  },
  "GET /v1/keys/:id": { id: "getKey", summary: "An API key, without what it takes to use it", problems: ["NotFound"] },
  "DELETE /v1/keys/:id": {
    id: "revokeKey",
    summary: "Revokes an API key: whoever has it is sent away",
    problems: ["NotFound"],
  },
  "GET /v1/me": { id: "getMe", summary: "Who asks, and what they may do", tag: "login" },
  "POST /v1/login": {
    id: "logIn",
    summary: "Opens a session for a browser, by an API key or a token",
    description:
      "Answers with the cookie `__Host-cairn_session` (without TLS, `cairn_session`), which is as good as the key for twelve hours, on pages of this server. Where security is off there is none.",
    tag: "login",
    problems: ["Unauthenticated"],
    answers: { 200: "Who you are; the session is in the cookie" },
    example: { key: "cairn_a1b2c3d4_…" },
  },
  "POST /v1/logout": { id: "logOut", summary: "Ends the session of the cookie", tag: "login" },

  "GET /v1/retention": { id: "listRetention", summary: "How long things are kept" },
  "GET /v1/retention/preview": { id: "previewRetention", summary: "What would be removed now, by type" },
  "PUT /v1/retention/:what/:type": {
    id: "setRetention",
    summary: "Says how long something is kept",
    problems: ["InvalidOption"],
    example: { keep: "30d" },
  },
  "DELETE /v1/retention/:what/:type": {
    id: "removeRetention",
    summary: "Removes a rule",
    problems: ["NotFound"],
  },
};
