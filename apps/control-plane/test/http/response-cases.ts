import { until } from "../support/test-engine.ts";
import { approved, sums } from "../workflows/basics.ts";
import { SUBSCRIPTION, type World } from "./response-world.ts";

/** Of who asks. */
export const TOKEN = "all";

/** What is sent; the rest of it (method) is the operation's. */
export interface Sent {
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** To the control plane that has no master key. */
  readonly keyless?: true;
}

export type Case = (world: World) => Sent | Promise<Sent>;

const of = (id: string, part = ""): Sent => ({ url: `/v1/runs/${id}${part}` });

/** A part of a run that can be looked at. */
const part = (name: string): Record<string, Case> => ({
  200: async (world) => of(await world.ended(), name),
  404: (world) => of(world.nowhere(), name),
});

/** What is wanted of a run that lives. */
const order = (name: string, body?: unknown): Record<string, Case> => ({
  202: async (world) => ({ ...of(await world.living(), name), body }),
  404: (world) => ({ ...of(world.nowhere(), name), body }),
  409: async (world) => ({ ...of(await world.ended(), name), body }),
  410: async (world) => ({ ...of(await world.deleted(), name), body }),
});

/** A part of a version of a workflow. */
const ofVersion = (name: string): Record<string, Case> => ({
  200: async (world) => ({ url: `/v1/workflows/${sums.name}/versions/${await world.version()}${name}` }),
  404: fixed(`/v1/workflows/${sums.name}/versions/none${name}`),
});

const fixed =
  (url: string, body?: unknown, others: Partial<Sent> = {}): Case =>
  () => ({ url, body, ...others });
const KNOWN = { headers: { "if-none-match": "*" } };
const gone = "/v1/schedules/test.sums.v1/gone";
const goneKey = "/v1/keys/01a1e117-9295-798b-8091-0c70e9ba8d64";
const goneSubscription = "/v1/subscriptions/gone";

/**
 * A request for each status that an operation may answer, by its id; of those that are alike for all (400, 401, 403, 413, 415, 429, 503)
 * the test makes them of the success.
 */
export const CASES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  isAlive: { 200: fixed("/health") },
  isReady: { 200: fixed("/ready") },
  getMetrics: { 200: fixed("/metrics") },
  getOpenApi: { 200: fixed("/openapi.json"), 304: fixed("/openapi.json", undefined, KNOWN) },
  getDocs: { 200: fixed("/docs"), 304: fixed("/docs", undefined, KNOWN) },
  getHealth: { 200: fixed("/v1/health") },
  getLiveness: { 200: fixed("/v1/health/live") },
  getReadiness: { 200: fixed("/v1/health/ready") },
  getV1Metrics: { 200: fixed("/v1/metrics") },

  startRun: {
    201: fixed("/v1/runs", { type: sums.name, payload: { n: 1 } }),
    200: async (world) => {
      const body = { id: world.nowhere(), type: sums.name, payload: { n: 1 } };
      await world.rest.ask("POST", "/runs", body);
      return { url: "/v1/runs", body };
    },
    404: fixed("/v1/runs", { type: "nothing.like.this" }),
    409: async (world) => ({ url: "/v1/runs", body: { id: await world.ended(), type: approved.name } }),
  },
  startRuns: { 200: fixed("/v1/runs/batch", { runs: [{ type: sums.name, payload: { n: 1 } }, { type: "none" }, 7] }) },
  changeRuns: {
    // What is under way for others is not disturbed by it.
    200: fixed("/v1/runs/bulk", { action: "resume", filter: { type: sums.name }, limit: 1 }),
    409: async (world) => {
      const order = (limit: number) => ({ action: "resume", filter: { type: "none.v1" }, limit });
      const headers = { "idempotency-key": "bulk" };
      await world.rest.ask("POST", "/runs/bulk", order(1), headers);
      return { url: "/v1/runs/bulk", body: order(2), headers };
    },
  },
  waitForRuns: {
    200: async (world) => ({ url: "/v1/runs/wait", body: { ids: [await world.ended(), world.nowhere(), "none"] } }),
  },
  listRuns: { 200: fixed("/v1/runs") },
  getRun: part(""),
  getResult: {
    200: async (world) => of(await world.ended(), "/result"),
    202: async (world) => of(await world.living(), "/result"),
    404: (world) => of(world.nowhere(), "/result"),
    410: async (world) => of(await world.deleted(), "/result"),
  },
  listSteps: part("/steps"),
  listAttempts: part("/attempts"),
  listHistory: part("/history"),
  listRunEvents: part("/events"),
  exportRun: part("/export"),
  getState: part("/state"),
  followRun: { ...part("/stream"), 204: async (world) => of(await world.ended(), "/stream?after=999999-999-end") },
  followChunks: { ...part("/chunks"), 204: async (world) => of(await world.ended(), "/chunks?after=-end") },
  followEvents: { 200: fixed("/v1/events/stream") },
  cancelRun: {
    ...order("/cancel"),
    202: async (world) => ({ ...of(await world.living(), "/cancel"), body: { reason: "enough" } }),
  },
  pauseRun: order("/pause"),
  resumeRun: order("/resume"),
  restoreRun: {
    202: async (world) => of(await world.ownDeleted(), "/restore"),
    404: (world) => of(world.nowhere(), "/restore"),
    409: async (world) => of(await world.replaced(), "/restore"),
  },
  retryRun: { ...order("/retry"), 202: async (world) => of(await world.failed(), "/retry") },
  signalRun: order("/signal", { name: "approval", value: "yes" }),
  rollBackRun: {
    202: async (world) => ({ ...of(await world.ownEnded(), "/rollback"), body: { to: 1 } }),
    404: (world) => ({ ...of(world.nowhere(), "/rollback"), body: { to: 1 } }),
    409: async (world) => ({ ...of(await world.ended(), "/rollback"), body: { to: 3 } }),
    410: async (world) => ({ ...of(await world.deleted(), "/rollback"), body: { to: 1 } }),
  },
  forkRun: {
    201: async (world) => ({ ...of(await world.ended(), "/fork"), body: { from: 1 } }),
    404: (world) => ({ ...of(world.nowhere(), "/fork"), body: { from: 1 } }),
    409: async (world) => ({ ...of(await world.ended(), "/fork"), body: { from: 3 } }),
    410: async (world) => ({ ...of(await world.deleted(), "/fork"), body: { from: 1 } }),
  },
  deleteRun: { 202: async (world) => of(await world.ownEnded()), 404: (world) => of(world.nowhere()) },

  listTimeline: part("/timeline"),
  createWaitToken: {
    201: async (world) => ({ ...of(await world.living(), "/tokens"), body: { signal: "approval" } }),
    404: (world) => ({ ...of(world.nowhere(), "/tokens"), body: { signal: "approval" } }),
    409: async (world) => ({ ...of(await world.ended(), "/tokens"), body: { signal: "approval" } }),
    410: async (world) => ({ ...of(await world.deleted(), "/tokens"), body: { signal: "approval" } }),
  },
  rotateSigningKey: {
    200: fixed("/v1/signing-key/rotate"),
    409: async (world) => {
      await world.token();
      return { url: "/v1/signing-key/rotate", keyless: true };
    },
  },
  getWaitToken: {
    200: async (world) => ({ url: (await world.token()).url }),
    404: fixed("/v1/tokens/none"),
    410: async (world) => ({ url: await world.expiredToken() }),
  },
  useWaitToken: {
    202: async (world) => ({ url: (await world.token()).url, body: { order: "A-17", paid: true } }),
    400: async (world) => ({ url: (await world.token()).url, body: "{" }),
    404: fixed("/v1/tokens/none"),
    409: async (world) => {
      const { url, id } = await world.token();
      await world.rest.ask("POST", `/runs/${id}/cancel`);
      await world.rest.result(id);
      return { url };
    },
    410: async (world) => ({ url: await world.expiredToken() }),
  },
  listAudit: { 200: fixed("/v1/audit") },
  getAuditSummary: { 200: fixed("/v1/audit/summary") },

  listWorkflows: { 200: fixed("/v1/workflows") },
  getWorkflow: { 200: fixed(`/v1/workflows/${sums.name}`), 404: fixed("/v1/workflows/nothing.like.this") },
  getVersion: ofVersion(""),
  getVersionSource: ofVersion("/source"),
  getVersionListing: ofVersion("/listing"),
  getVersionGraph: ofVersion("/graph"),
  listVersions: {
    200: fixed(`/v1/workflows/${sums.name}/versions`),
    404: fixed("/v1/workflows/nothing.like.this/versions"),
  },
  promoteVersion: {
    200: async (world) => ({
      url: `/v1/workflows/${sums.name}/promote`,
      body: { version: await world.version() },
    }),
    404: fixed(`/v1/workflows/${sums.name}/promote`, { version: "none" }),
  },
  listWorkers: { 200: fixed("/v1/workers") },
  listLimits: { 200: fixed("/v1/limits") },

  listSchedules: { 200: fixed("/v1/schedules") },
  getSchedule: { 200: async (world) => ({ url: await world.schedule("get") }), 404: fixed(gone) },
  putSchedule: {
    200: fixed(`/v1/schedules/${sums.name}/put`, { cron: "@daily", payload: { n: 1 } }),
    404: fixed("/v1/schedules/nothing.like.this/put", { cron: "@daily" }),
  },
  pauseSchedule: {
    200: async (world) => ({ url: `${await world.schedule("pause")}/pause`, body: { reason: "rest" } }),
    404: fixed(`${gone}/pause`),
  },
  resumeSchedule: {
    200: async (world) => ({ url: `${await world.schedule("resume")}/resume` }),
    404: fixed(`${gone}/resume`),
  },
  triggerSchedule: {
    201: async (world) => ({ url: `${await world.schedule("trigger")}/trigger`, body: { allowDuplicate: true } }),
    404: fixed(`${gone}/trigger`),
    409: async (world) => {
      // Its run waits for signals, and lives when the second is wanted.
      const url = `/schedules/${approved.name}/busy`;
      await world.rest.ask("PUT", url, { everyMs: 3_600_000, allowDuplicate: false });
      await world.rest.ask("POST", `${url}/trigger`);
      return { url: `/v1${url}/trigger` };
    },
  },
  backfillSchedule: {
    200: async (world) => {
      const from = new Date(Date.now() - 7_200_000).toISOString();
      return { url: `${await world.schedule("backfill")}/backfill`, body: { from } };
    },
    404: fixed(`${gone}/backfill`, { from: "2026-11-01T00:00:00Z" }),
  },
  deleteSchedule: { 200: async (world) => ({ url: await world.schedule("delete") }), 404: fixed(gone) },

  listSubscriptions: { 200: fixed("/v1/subscriptions") },
  getSubscription: { 200: async (world) => ({ url: await world.subscription("get") }), 404: fixed(goneSubscription) },
  putSubscription: { 200: fixed("/v1/subscriptions/put", SUBSCRIPTION) },
  pauseSubscription: {
    200: async (world) => ({ url: `${await world.subscription("pause")}/pause`, body: { reason: "rest" } }),
    404: fixed(`${goneSubscription}/pause`),
  },
  resumeSubscription: {
    200: async (world) => ({ url: `${await world.subscription("resume")}/resume` }),
    404: fixed(`${goneSubscription}/resume`),
  },
  testSubscription: {
    200: async (world) => ({ url: `${await world.subscription("test")}/test` }),
    404: fixed(`${goneSubscription}/test`),
  },
  deleteSubscription: {
    200: async (world) => ({ url: await world.subscription("delete") }),
    404: fixed(goneSubscription),
  },

  listOutbox: { 200: fixed("/v1/outbox") },
  getOutboxStats: { 200: fixed("/v1/outbox/stats") },
  getOutboxEvent: {
    200: async (world) => {
      await world.failed();
      const id = await until(async () => {
        const { body } = await world.rest.ask("GET", "/outbox");
        return (body["items"] as { id: number }[])[0]?.id;
      });
      return { url: `/v1/outbox/${id}` };
    },
    404: fixed("/v1/outbox/999999"),
  },
  redriveLetters: { 200: fixed("/v1/outbox/redrive", { all: true }) },
  discardLetters: { 200: fixed("/v1/outbox/discard", { subscription: "none" }) },

  listSecrets: { 200: fixed("/v1/secrets") },
  setSecret: {
    200: fixed("/v1/secrets/set", { value: "hunter2" }),
    409: fixed("/v1/secrets/unset", { value: "hunter2" }, { keyless: true }),
  },
  removeSecret: {
    200: async (world) => {
      await world.rest.ask("PUT", "/secrets/removed", { value: "hunter2" });
      return { url: "/v1/secrets/removed" };
    },
    404: fixed("/v1/secrets/gone"),
  },
  rotateSecrets: {
    200: fixed("/v1/secrets/rotate"),
    409: fixed("/v1/secrets/rotate", undefined, { keyless: true }),
  },
  rewrapSecrets: {
    200: fixed("/v1/secrets/rewrap"),
    409: fixed("/v1/secrets/rewrap", undefined, { keyless: true }),
  },

  listKeys: { 200: fixed("/v1/keys") },
  createKey: { 201: fixed("/v1/keys", { name: "mine", scopes: ["read"] }) },
  getKey: { 200: async (world) => ({ url: await world.key() }), 404: fixed(goneKey) },
  revokeKey: { 200: async (world) => ({ url: await world.key() }), 404: fixed(goneKey) },
  getMe: { 200: fixed("/v1/me") },
  logIn: {
    200: fixed("/v1/login", { key: TOKEN }),
    401: fixed("/v1/login", { key: "nobody" }),
  },
  logOut: { 200: fixed("/v1/logout") },

  listRetention: { 200: fixed("/v1/retention") },
  previewRetention: { 200: fixed("/v1/retention/preview") },
  setRetention: { 200: fixed("/v1/retention/runs/none.*", { keep: "30d" }) },
  removeRetention: {
    200: async (world) => {
      await world.rest.ask("PUT", "/retention/runs/removed.*", { keep: "1d" });
      return { url: "/v1/retention/runs/removed.*" };
    },
    404: fixed("/v1/retention/runs/gone.*"),
  },
};
