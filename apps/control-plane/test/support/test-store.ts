import { createHash, randomUUID } from "node:crypto";
import type pg from "pg";
import { onTestFinished } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { openConnection } from "../../src/store/connection.ts";
import { openOwner } from "../../src/store/owners.ts";
import { type RegisteredVersion, registerVersion } from "../../src/store/register-version.ts";
import type { NewRun } from "../../src/store/start-runs.ts";
import { databaseTime } from "../../src/store/time.ts";
import { type TestBed, testBed } from "./test-engine.ts";

/** A database of the test's own, for tests of the store without an engine on it. */
export interface StoreBed extends TestBed {
  /** Of the kind that the engine has. */
  readonly client: pg.Client;
  connect(): Promise<pg.Client>;
  /** A run that could be started now. */
  newRun(overrides?: Partial<NewRun>): Promise<NewRun>;
  /** An owner with a lease of 30 s, on a connection of its own. */
  owner(overrides?: { readonly leaseMs?: number; readonly alone?: boolean }): Promise<TestOwner>;
}

export interface TestOwner {
  readonly id: string;
  readonly client: pg.Client;
}

/** Something to start runs of; no test of the store runs its program. */
export const NOOP: RegisteredVersion = {
  namespace: "default",
  name: "test.noop.v1",
  version: "1",
  kind: "workflow",
  programHash: "hash of 1",
  program: "{}",
  inputSchema: null,
  maxAttempts: 1,
  leaseMs: null,
  tags: [],
};

export async function storeBed(): Promise<StoreBed> {
  const bed = await testBed();
  const connect = async (): Promise<pg.Client> => {
    const client = await openConnection(bed.url, "test");
    onTestFinished(() => client.end().catch(() => {}));
    return client;
  };
  const client = await connect();
  await registerVersion(client, NOOP);
  return {
    ...bed,
    client,
    connect,
    newRun: async (overrides = {}) => newRun(await databaseTime(client), overrides),
    owner: async ({ leaseMs = 30_000, alone = false } = {}) => {
      const own = { id: randomUUID(), client: await connect() };
      await openOwner(own.client, { id: own.id, leaseMs, address: "test", alone, hasSession: true });
      return own;
    },
  };
}

function newRun(now: number, overrides: Partial<NewRun>): NewRun {
  const payload = overrides.payload ?? '{"n":1}';
  return {
    id: newRunId(now),
    namespace: "default",
    type: NOOP.name,
    version: NOOP.version,
    pool: "default:*",
    priority: 0,
    payload,
    maxAttempts: 1,
    runAt: null,
    tags: [],
    deadline: null,
    idempotencyKey: null,
    payloadDigest: createHash("sha256").update(payload).digest("hex"),
    deadLetterType: null,
    traceparent: null,
    ...overrides,
  };
}
