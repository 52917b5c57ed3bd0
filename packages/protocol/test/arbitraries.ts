import fc from "fast-check";
import * as nouns from "@cairnjs/schemas";

/** Arbitrary nouns, whole ones, with what is at the edge of what they may be. */

/** Plain objects, as conversions make them. */
export function record<T>(model: { [key in keyof T]: fc.Arbitrary<T[key]> }): fc.Arbitrary<T> {
  return fc.record<T>(model, { noNullPrototype: true });
}

const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });

export const runId = fc.uuid({ version: 7 });

function text(lengthMin: number, lengthMax: number): fc.Arbitrary<string> {
  const some = fc
    .string({ unit: "binary", minLength: lengthMin, maxLength: Math.min(lengthMax, 20) })
    .filter((each) => nouns.isStorableText(each) && each.length >= lengthMin && each.length <= lengthMax);
  // Decoders of UTF-8 leave this one out where a text begins, unless they are told not to.
  const marked = fc.constant("\uFEFF".repeat(lengthMin + 1).slice(0, lengthMax));
  const longest = fc.constant("x".repeat(lengthMax));
  return fc.oneof({ weight: 20, arbitrary: some }, { weight: 1, arbitrary: longest }, { weight: 1, arbitrary: marked });
}

const name = text(1, nouns.NAME_LENGTH_MAX);
export const namespace = fc.stringMatching(/^[A-Za-z0-9._-]{1,100}$/).filter((text) => !/^\.\.?$/.test(text));
const count = (min: number, max: number): fc.Arbitrary<number> =>
  fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
const nullable = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const json = fc.oneof(fc.json(), fc.constantFrom('{"$date":0}', '"\\ud800"', '"\\u0000"', "-0", " 1 ", '"😀"'));

export const blobRef: fc.Arbitrary<nouns.BlobRef> = record({
  digest: hex(64),
  bytes: count(0, nouns.BLOB_BYTES_MAX),
});
export const value: fc.Arbitrary<nouns.Value> = fc.oneof(record({ json }), record({ blob: blobRef }));
/** NUL may stand in a file; half a surrogate pair cannot be sent. */
const longText: fc.Arbitrary<nouns.LongText> = fc.oneof(
  record({ text: fc.string({ unit: "binary" }).filter((each) => !/\p{Surrogate}/u.test(each)) }),
  record({ blob: blobRef }),
);
const time = count(nouns.TIME_MS_MIN, nouns.TIME_MS_MAX);
const priority = count(-100, 100);
const digits = (length: number): fc.Arbitrary<string> => hex(length).filter((text) => !/^0+$/.test(text));
const traceparent = fc
  .tuple(digits(32), digits(16), fc.constantFrom("00", "01"))
  .map((parts) => `00-${parts.join("-")}`);
const tags = fc.array(text(1, nouns.TAG_LENGTH_MAX), { maxLength: 4 });

const ref = { runId, call: name, attempt: count(1, 2 ** 31 - 1), incarnation: fc.uuid() };
export const callRef: fc.Arbitrary<nouns.CallRef> = record(ref);
export const retryPolicy: fc.Arbitrary<nouns.RetryPolicy> = record({
  attempts: count(1, 2 ** 31 - 1),
  baseMs: count(0, nouns.DURATION_MS_MAX),
  capMs: count(0, nouns.DURATION_MS_MAX),
});
const secretName = fc.stringMatching(/^[A-Za-z0-9._-]{1,200}$/).filter((name) => !/^\.\.?$/.test(name));
const secrets = fc.array(record({ name: secretName, value: text(1, nouns.SECRET_BYTES_MAX / 3) }), {
  minLength: 1,
  maxLength: 3,
});
const dispatchFields = {
  ...ref,
  action: name,
  args: value,
  options: nullable(value),
  priority,
  type: name,
  version: name,
  deadlineMs: nullable(time),
  idempotencyKey: text(1, 1_000),
  heartbeatDetails: nullable(value),
  traceparent: nullable(traceparent),
};
export const dispatch: fc.Arbitrary<nouns.Dispatch> = fc.record(
  { ...dispatchFields, secrets },
  { noNullPrototype: true, requiredKeys: Object.keys(dispatchFields) as (keyof typeof dispatchFields)[] },
);
const durationMs = count(0, Number.MAX_SAFE_INTEGER);
export const outcome: fc.Arbitrary<nouns.Outcome> = fc.oneof(
  record({ ...ref, kind: fc.constant("result" as const), value, retry: fc.constant(null), durationMs }),
  record({ ...ref, kind: fc.constant("error" as const), value, retry: nullable(retryPolicy), durationMs }),
);
export const heartbeat: fc.Arbitrary<nouns.Heartbeat> = record({ ...ref, details: nullable(value) });
const chunkNumber = count(1, 2 ** 31 - 1);
export const chunk: fc.Arbitrary<nouns.Chunk> = record({ ...ref, number: chunkNumber, json });
export const chunksTaken: fc.Arbitrary<nouns.ChunksTaken> = record({ ...ref, number: chunkNumber });
export const cancel: fc.Arbitrary<nouns.Cancel> = record({ ...ref, reason: text(0, nouns.REASON_LENGTH_MAX) });
export const inFlight: fc.Arbitrary<nouns.InFlight> = record({
  calls: fc.array(callRef, { maxLength: 4 }),
  more: fc.boolean(),
});
export const credits: fc.Arbitrary<nouns.Credits> = record({
  received: count(0, Number.MAX_SAFE_INTEGER),
  free: count(0, 2 ** 32 - 1),
});
export const backlog: fc.Arbitrary<nouns.Backlog> = record({ calls: count(0, 2 ** 32 - 1) });

const limitKey: fc.Arbitrary<nouns.LimitKey | null> = nullable(
  fc.oneof(record({ path: fc.constantFrom("0", "1", "0.tenant", "2.a.b c") }), record({ program: json })),
);
const limit = count(1, nouns.LIMIT_MAX);
const positiveMs = count(1, nouns.DURATION_MS_MAX);
const actionFields = {
  name,
  inputSchema: nullable(json),
  retry: nullable(retryPolicy),
  heartbeatTimeoutMs: nullable(count(1, nouns.DURATION_MS_MAX)),
  isolate: fc.constantFrom("none" as const, "thread" as const),
  concurrency: record({ limit, key: limitKey }),
  rate: record({ limit, perMs: positiveMs, key: limitKey }),
  secrets: fc.array(secretName, { minLength: 1, maxLength: 3 }),
};
export const registeredAction: fc.Arbitrary<nouns.RegisteredAction> = fc.record(actionFields, {
  noNullPrototype: true,
  requiredKeys: ["name", "inputSchema", "retry", "heartbeatTimeoutMs", "isolate"],
});
export const registeredWorkflow: fc.Arbitrary<nouns.RegisteredWorkflow> = record({
  name,
  version: name,
  programHash: hex(64),
  program: value,
  inputSchema: nullable(value),
  maxAttempts: count(1, nouns.ATTEMPTS_MAX),
  tags,
  sources: fc.array(record({ name, content: longText }), { maxLength: 3 }),
});

export const address: fc.Arbitrary<nouns.ControlPlaneAddress> = record({
  id: name,
  url: text(1, nouns.URL_LENGTH_MAX),
});
const version = count(1, 2 ** 31 - 1);
const announced = fc.array(record({ name, version: name }), { minLength: 1, maxLength: 3 });
export const hello: fc.Arbitrary<nouns.Hello> = fc.record(
  {
    protocolVersion: version,
    workerId: name,
    namespace,
    prefixes: fc.array(text(0, nouns.NAME_LENGTH_MAX), { maxLength: 3 }),
    actions: fc.array(registeredAction, { maxLength: 3 }),
    capacity: count(1, nouns.CAPACITY_MAX),
    threads: count(1, nouns.CAPACITY_MAX),
    workflows: announced,
    language: name,
    libraryVersion: name,
  },
  {
    noNullPrototype: true,
    requiredKeys: [
      "protocolVersion",
      "workerId",
      "namespace",
      "prefixes",
      "actions",
      "capacity",
      "language",
      "libraryVersion",
    ],
  },
);
export const welcome: fc.Arbitrary<nouns.Welcome> = record({
  controlPlaneId: name,
  protocolVersion: version,
  controlPlanes: fc.array(address, { maxLength: 3 }),
  heartbeatIntervalMs: count(1, nouns.TIMER_MS_MAX),
});

export const startRun: fc.Arbitrary<nouns.StartRun> = fc.record(
  {
    id: runId,
    type: name,
    version: name,
    payload: value,
    runAtMs: time,
    priority,
    idempotencyKey: name,
    maxAttempts: count(1, nouns.ATTEMPTS_MAX),
    tags,
    deadlineMs: time,
    deadLetterType: name,
    debounce: fc.record(
      { key: name, delayMs: positiveMs, maxMs: positiveMs },
      { requiredKeys: ["key", "delayMs"], noNullPrototype: true },
    ),
    deduplicate: record({ key: name, forMs: positiveMs }),
    ttlMs: positiveMs,
    traceparent,
  },
  { requiredKeys: ["type", "payload", "tags"], noNullPrototype: true },
);
export const requestError: fc.Arbitrary<nouns.RequestError> = record({ code: name, message: text(0, 100_000) });
export const startedRun: fc.Arbitrary<nouns.StartedRun> = fc.oneof(
  record({ kind: fc.constantFrom("started" as const, "existed" as const), id: runId }),
  record({ kind: fc.constant("error" as const), error: requestError }),
);
export const runEnd: fc.Arbitrary<nouns.RunEnd> = record({
  runId,
  status: fc.constantFrom("succeeded", "failed", "cancelled", "deleted"),
  value,
  trace: nullable(json),
});
export const waitError: fc.Arbitrary<nouns.WaitError> = record({ runId, error: requestError });
export const signalRun: fc.Arbitrary<nouns.SignalRun> = record({ runId, name, value, key: fc.uuid() });
export const cancelRun: fc.Arbitrary<nouns.CancelRun> = record({ runId, reason: text(0, nouns.REASON_LENGTH_MAX) });
