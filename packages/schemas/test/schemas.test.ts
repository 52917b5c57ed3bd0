import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isRunId, newRunId } from "../../../apps/control-plane/src/ids.ts";
import { isReference, referenceTo } from "../../../apps/control-plane/src/blobs/reference.ts";
import { checkNamespace } from "../../../apps/control-plane/src/library/namespace.ts";
import { checkStartOptions, type StartRunOptions } from "../../../apps/control-plane/src/library/start-options.ts";
import { isStorableText as engineStores } from "../../../apps/control-plane/src/store/storable-text.ts";
import { checkOptions } from "../../sdk/src/check-options.ts";
import * as schemas from "../src/index.ts";

const NOW = Date.UTC(2026, 0, 1);

function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

describe("the schemas say what the engine says", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 10 }),
    fc.constantFrom("", "\0", "\ud800", "\udc00x", "😀", "x".repeat(200), "x".repeat(201), "x".repeat(500)),
    fc.constantFrom("x".repeat(501), "😀".repeat(250), "😀".repeat(251)),
  );

  it("of texts that can be stored", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(schemas.isStorableText(text)).toBe(engineStores(text));
      }),
    );
  });

  it("of namespaces and ids of runs", () => {
    const names = fc.oneof(
      texts,
      fc.stringMatching(/^[A-Za-z0-9._-]{0,102}$/),
      fc.constantFrom(".", "..", "...", ".a"),
    );
    fc.assert(
      fc.property(names, (text) => {
        expect(schemas.Namespace.safeParse(text).success).toBe(passes(() => checkNamespace(text)));
      }),
    );
    const ids = fc.oneof(texts, fc.uuid(), fc.uuid({ version: 7 }), fc.constantFrom(newRunId(NOW)));
    fc.assert(
      fc.property(ids, (id) => {
        // People may write ids in upper case; between processes they are as they were made.
        for (const text of [id, id.toUpperCase()]) {
          expect(schemas.RunId.safeParse(text).success).toBe(isRunId(text) && text === text.toLowerCase());
        }
      }),
    );
  });

  it("of starts, except of what depends on the time", () => {
    const numbers = fc.oneof(
      fc.constantFrom(-101, -100, -1, 0, 1, 100, 101, 1_000, 1_001, 0.5, Number.NaN, Infinity),
      fc.integer(),
    );
    const times = fc.oneof(
      fc.constantFrom(schemas.TIME_MS_MAX, schemas.TIME_MS_MAX + 1, Number.NaN),
      fc.integer({ min: NOW + 2, max: NOW + 1_000 }),
    );
    const options = fc.record(
      {
        version: texts,
        priority: numbers,
        maxAttempts: numbers,
        idempotencyKey: texts,
        tags: fc.oneof(fc.array(texts, { maxLength: 3 }), fc.constantFrom(Array(50).fill("t"), Array(51).fill("t"))),
        runAt: fc.constantFrom(schemas.TIME_MS_MIN, schemas.TIME_MS_MIN - 1, NOW, NOW + 1),
        deadline: times,
        deadLetterType: texts,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(options, ({ runAt, deadline, tags = [], ...rest }) => {
        const start = {
          ...rest,
          type: "a",
          payload: { json: "1" },
          tags,
          ...(runAt === undefined ? {} : { runAtMs: runAt }),
          ...(deadline === undefined ? {} : { deadlineMs: deadline }),
        };
        const engine: StartRunOptions = {
          ...rest,
          tags,
          ...(runAt === undefined ? {} : { runAt: new Date(runAt) }),
          ...(deadline === undefined ? {} : { deadline: new Date(deadline) }),
        };
        expect(schemas.StartRun.safeParse(start).success).toBe(passes(() => checkStartOptions(engine, NOW)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("of references to blobs", () => {
    const digest = "0f".repeat(32);
    for (const bytes of [0, 1, schemas.BLOB_BYTES_MAX, schemas.BLOB_BYTES_MAX + 1]) {
      expect(schemas.BlobRef.safeParse({ digest, bytes }).success).toBe(isReference(referenceTo(digest, bytes)));
    }
  });

  it("of how actions are tried, as far as whole numbers and a hundred years go", () => {
    const sometime = fc.constantFrom(-1, 0, 1, schemas.DURATION_MS_MAX);
    const policies = fc.record({ attempts: fc.constantFrom(-1, 0, 1, 5_000), baseMs: sometime, capMs: sometime });
    fc.assert(
      fc.property(policies, (retry) => {
        const accepted = passes(() => checkOptions("action", "a", { retry }));
        expect(schemas.RetryPolicy.safeParse(retry).success).toBe(accepted);
      }),
    );
    const bounds = [0.5, Infinity, schemas.DURATION_MS_MAX + 1].map((baseMs) => ({ attempts: 1, baseMs, capMs: 1 }));
    for (const policy of bounds) expect(schemas.RetryPolicy.safeParse(policy).success).toBe(false);
  });
});

describe("the schemas", () => {
  const call = { runId: newRunId(NOW), call: "1.0", attempt: 1, incarnation: "11111111-1111-4111-8111-111111111111" };

  it("take nothing that they do not know", () => {
    expect(schemas.CallRef.safeParse({ ...call, more: 1 }).success).toBe(false);
    expect(schemas.Value.safeParse({ json: "1", blob: { digest: "0".repeat(64), bytes: 1 } }).success).toBe(false);
  });

  it("tell lengths to whoever wants JSON Schema", () => {
    expect(z.toJSONSchema(schemas.Name)).toMatchObject({ type: "string", minLength: 1, maxLength: 500 });
  });

  it("a result is not tried again", () => {
    const outcome = { ...call, kind: "result", value: { json: "1" }, durationMs: 1 };
    const retry = { attempts: 3, baseMs: 1, capMs: 1 };
    expect(schemas.Outcome.safeParse({ ...outcome, retry: null }).success).toBe(true);
    expect(schemas.Outcome.safeParse({ ...outcome, retry }).success).toBe(false);
    expect(schemas.Outcome.safeParse({ ...outcome, kind: "error", retry }).success).toBe(true);
  });

  it("count bytes of values, not characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(60), (text, bytesMax) => {
        expect(schemas.fitsInBytes(text, bytesMax)).toBe(Buffer.byteLength(text) <= bytesMax);
      }),
    );
  });
});

it("names that stand in addresses are not . or .., which are none there", () => {
  for (const schema of [schemas.SecretName, schemas.PathName]) {
    for (const name of ["a", "...", ".a", "a..", "..a"]) expect(schema.safeParse(name).success).toBe(true);
    for (const name of [".", ".."]) expect(schema.safeParse(name).success).toBe(false);
  }
});
