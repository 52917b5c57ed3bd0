import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, openControlPlane } from "@cairnjs/control-plane";
import { Worker } from "@cairnjs/worker";
import { afterAll, beforeAll, vi } from "vitest";
import { createTestDatabase } from "../../../control-plane/test/support/test-database.ts";
import { until } from "../../../control-plane/test/support/test-engine.ts";
import { operatedFlows } from "../../../control-plane/test/workflows/operated.ts";
import { build } from "../command.ts";
import { cairnOnce, cairnProcess, type Command } from "../processes/processes.ts";

vi.setConfig({ hookTimeout: 180_000 });

interface Ran {
  readonly code: number | string;
  readonly stdout: string;
  readonly text: string;
}

/** One control plane for a file of tests, with a worker, and the command as people run it. */
export interface Operated {
  readonly url: string;
  readonly databaseUrl: string;
  readonly plane: ControlPlane;
  cairn(...args: string[]): Promise<Ran>;
  /** With other settings. */
  cairnWith(env: Record<string, string>, ...args: string[]): Promise<Ran>;
  /** The one line that it prints. */
  json<T>(...args: string[]): Promise<T>;
  process(...args: string[]): Command;
  /** Starts a run, over REST. */
  start(type: string, payload?: unknown, more?: object): Promise<string>;
  untilStatus(id: string, ...wanted: string[]): Promise<void>;
  /** Ends the control plane; what it resolves to opens another one in its place. */
  close(): Promise<() => Promise<void>>;
}

/** To be called at the top of a file. */
export function operated(options: { readonly token?: string } = {}): Operated {
  const { token } = options;
  const opened = {} as { plane: ControlPlane; worker: Worker; drop: () => Promise<void>; databaseUrl: string };
  const headers = {
    "content-type": "application/json",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const folder = mkdtempSync(join(tmpdir(), "cairn-operators-"));
  const open = (databaseUrl: string, grpc: number, http: number): Promise<ControlPlane> =>
    openControlPlane({
      databaseUrl,
      runloops: 0,
      listen: { grpc: `127.0.0.1:${grpc}`, http: `127.0.0.1:${http}` },
      onWarning: () => {},
      security: token !== undefined,
      ...(token === undefined ? {} : { tokens: [{ token }] }),
    });
  beforeAll(async () => {
    build();
    const { url, drop } = await createTestDatabase();
    const plane = await open(url, 0, 0);
    const worker = new Worker(workerOptions(plane.port, token ?? null));
    worker.connect();
    Object.assign(opened, { plane, worker, drop, databaseUrl: url });
    // Known once the worker has registered them.
    await until(async () => {
      const [workers, workflows] = await Promise.all([ask("/workers"), ask("/workflows")]);
      const names = itemsOf(workflows).map(({ name }) => name);
      return itemsOf(workers).length > 0 && operatedFlows.every(({ name }) => names.includes(name));
    });
  });
  afterAll(async () => {
    await opened.worker.drain(0).catch(() => {});
    await opened.plane.close();
    await opened.drop();
    rmSync(folder, { recursive: true });
  });
  const api = (): string => `http://127.0.0.1:${opened.plane.httpPort}`;
  const env = (): Record<string, string> => ({
    CAIRN_API_URL: api(),
    ...(token === undefined ? {} : { CAIRN_TOKEN: token }),
  });
  const cairn = (...args: string[]): Promise<Ran> => cairnOnce(folder, args, env());
  const ask = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await (await fetch(`${api()}/v1${path}`, { headers, ...sent })).json()) as Record<string, unknown>;
  };
  return {
    get url() {
      return api();
    },
    get databaseUrl() {
      return opened.databaseUrl;
    },
    get plane() {
      return opened.plane;
    },
    cairn,
    cairnWith: (more, ...args) => cairnOnce(folder, args, { ...env(), ...more }),
    json: async <T>(...args: string[]): Promise<T> => {
      const { stdout, text } = await cairn(...args, "--json");
      const lines = stdout.trimEnd().split("\n");
      if (lines.length !== 1) throw new Error(text);
      return JSON.parse(lines[0]!) as T;
    },
    process: (...args) => cairnProcess(folder, args, env()),
    start: async (type, payload, more = {}) => {
      const { id, detail } = await ask("/runs", { type, payload, ...more });
      if (typeof id !== "string") throw new Error(String(detail));
      return id;
    },
    close: async () => {
      const { port, httpPort } = opened.plane;
      await opened.plane.close();
      return async () => {
        opened.plane = await open(opened.databaseUrl, port, httpPort);
      };
    },
    untilStatus: async (id, ...wanted) => {
      await until(async () => {
        const { status, phase } = await ask(`/runs/${id}`);
        return wanted.includes(String(status)) || wanted.includes(String(phase));
      });
    },
  };
}

function itemsOf(list: Record<string, unknown>): Record<string, unknown>[] {
  return (list["items"] ?? []) as Record<string, unknown>[];
}

function workerOptions(port: number, token: string | null): ConstructorParameters<typeof Worker>[0] {
  return {
    urls: [`127.0.0.1:${port}`],
    namespace: "default",
    token,
    certificates: () => ({ authority: null, own: null }),
    modules: [],
    prefixes: ["shop."],
    capacity: 10,
    threads: 1,
    drainMs: 0,
    flushMs: 5_000,
    recycleAfter: {},
    random: Math.random,
    log: () => {},
  };
}
