import type { FastifyReply, FastifyRequest } from "fastify";
import { detailText } from "../audit/detail.ts";
import { isRunId } from "../ids.ts";
import { SubscriptionTarget } from "@cairnjs/schemas";
import { toldTarget } from "./shown-target.ts";
import type { NewAuditEntry } from "../store/audit-log.ts";

/** Of what is said with a request, what is written down: never values of runs, nor secrets. */
const FIELDS = [
  "action",
  "all",
  "allowDuplicate",
  "catchUp",
  "compensate",
  "cron",
  "despiteCompensations",
  "dryRun",
  "effects",
  "everyMs",
  "expiresAt",
  "expiresInMs",
  "filter",
  "from",
  "keep",
  "limit",
  "masterKey",
  "maxAttempts",
  "name",
  "priority",
  "reason",
  "removeOld",
  "revoke",
  "role",
  "runAt",
  "scopes",
  "signal",
  "subscription",
  "tags",
  "timeZone",
  "to",
  "type",
  "types",
  "version",
] as const;
const CONTENT: ReadonlySet<string> = new Set(["contains", "search"]);
const SUBJECT_LENGTH_MAX = 2_000;

/** What is written down of a request; null: nothing was done, and nobody who is known was refused. */
export function auditedRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  namespaceOf: () => string,
): NewAuditEntry | null {
  const { statusCode: status } = reply;
  const { audit } = request.routeOptions.config;
  const isWritten = status === 403 || (audit !== undefined && (status < 400 || mayBeHalfDone(status)));
  if (!isWritten || request.caller === null) return null;
  const params = request.params as Readonly<Record<string, string>>;
  // A token in a path is a secret: what it is about is the run.
  const names = "token" in params ? [] : Object.values(params).map(String);
  const isOfRun = request.routeOptions.url?.startsWith("/v1/runs/:id") === true && isRunId(params["id"] ?? "");
  return {
    namespace: namespaceOf(),
    who: request.caller.name,
    keyId: request.caller.keyId ?? null,
    action: audit ?? `rest.${request.method.toLowerCase()}`,
    subject: storableOrNull(audit === undefined ? pathOf(request) : (request.answeredSubject ?? names.join("/"))),
    runId: request.answeredRun ?? (isOfRun ? params["id"]!.toLowerCase() : null),
    ...(request.answeredRuns === null ? {} : { runIds: request.answeredRuns.ids }),
    detail: detailOf(request, status),
    status,
    via: "rest",
    address: request.ip,
  };
}

/** Something else was in the way, or broke off: part of it may have happened. */
function mayBeHalfDone(status: number): boolean {
  return status === 409 || status >= 500;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split("?")[0]!;
}

function detailOf({ body, query, headers, answeredRuns, answeredDetail }: FastifyRequest, status: number): string {
  const said = { ...(query as object), ...(isObject(body) ? body : {}) } as Readonly<Record<string, unknown>>;
  const told: Record<string, unknown> = {};
  for (const name of FIELDS) if (said[name] !== undefined) told[name] = said[name];
  if (isObject(told["filter"])) told["filter"] = withoutContent(told["filter"]);
  const target = SubscriptionTarget.safeParse(said["target"]);
  if (target.success) told["target"] = toldTarget(target.data);
  // Where it was wanted: it is written down where whoever asked may be.
  const namespace = said["namespace"] ?? headers["cairn-namespace"];
  if (status === 403 && namespace !== undefined) told["namespace"] = namespace;
  return detailText({ ...told, ...answeredRuns?.detail, ...answeredDetail });
}

/** What is looked for in payloads is of payloads: it is told that it was given. */
function withoutContent(filter: object): object {
  const told = Object.entries(filter).map(([name, value]) => [name, CONTENT.has(name) ? "***" : (value as unknown)]);
  return Object.fromEntries(told);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function storableOrNull(text: string): string | null {
  return text === "" ? null : storable(text).slice(0, SUBJECT_LENGTH_MAX);
}

/** Postgres has no such character in its texts. */
function storable(text: string): string {
  return Buffer.from(text).toString().replaceAll("\0", "\ufffd");
}
