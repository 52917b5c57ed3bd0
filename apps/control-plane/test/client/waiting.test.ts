import { type CairnClient, createClient, type RunHandle } from "cairnjs/client";
import { describe, expect, it } from "vitest";
import { openWorker } from "../support/open-worker.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approval, approving } from "../workflows/clients.ts";

interface Waiting {
  readonly rest: RestBed;
  readonly client: CairnClient;
  /** Another one, whose requests are not counted. */
  readonly other: CairnClient;
  readonly asked: Map<string, number>;
  readonly runs: RunHandle<string[]>[];
}

/** Runs of which each waits for a signal, and a client whose requests are counted, by `METHOD last/part`. */
async function waiting(count: number): Promise<Waiting> {
  const rest = await openRest();
  const url = `http://127.0.0.1:${rest.plane.httpPort}`;
  const asked = new Map<string, number>();
  const counting: typeof fetch = (address, init) => {
    const what = `${init!.method} ${new URL(String(address)).pathname.split("/").at(-1)!}`;
    asked.set(what, (asked.get(what) ?? 0) + 1);
    return fetch(address, init);
  };
  const client = createClient({ url, fetch: counting });
  const runs = await client.startMany(
    approving,
    Array.from({ length: count }, () => ({ input: 1 })),
  );
  asked.clear();
  return { rest, client, other: createClient({ url }), asked, runs };
}

async function areEnded(client: CairnClient): Promise<boolean> {
  const left = client.runs({ type: approving.name, status: ["pending", "leased"], limit: 1 });
  return (await left.next()).done === true;
}

async function askForAll(client: CairnClient, ids: string[]): Promise<void> {
  for (let id = ids.pop(); id !== undefined; id = ids.pop()) await client.request("GET", `/runs/${id}/result`);
}

const by = { by: "me", at: new Date(5) };

describe("results of many runs", () => {
  it("come as they end, with few requests beside those for the results", { timeout: 120_000 }, async () => {
    const { other, asked, runs } = await waiting(1_000);
    const endedAt = new Map<string, number>();
    const results = runs.map(async (run) => {
      const result = await run.result();
      endedAt.set(run.id, performance.now());
      return result;
    });
    await until(async () => (asked.get("POST wait") ?? 0) > 0);
    // One among many.
    const lateMs: number[] = [];
    for (const run of [runs[500]!, runs[999]!]) {
      await other.run(run.id).signal(approval, by);
      await other.run(run.id).result();
      const knownAt = performance.now();
      await until(async () => endedAt.has(run.id));
      lateMs.push(endedAt.get(run.id)! - knownAt);
    }
    expect(Math.max(...lateMs)).toBeLessThan(2_000);
    const body = { action: "signal", filter: { type: approving.name }, name: approval.name, value: { by: "me" } };
    await other.request("POST", "/runs/bulk", { body });
    await until(() => areEnded(other));
    const allEndedAt = performance.now();
    expect(await Promise.all(results)).toEqual(runs.map(() => ["me"]));
    const lastLateMs = performance.now() - allEndedAt;
    // As fast as that many can be asked for, on this machine.
    const ids = runs.map(({ id }) => id);
    const beganAt = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => askForAll(other, ids)));
    const askedMs = performance.now() - beganAt;
    expect(lastLateMs, `asked for in ${askedMs} ms`).toBeLessThan(2 * askedMs + 1_000);
    const [waits, gets] = [asked.get("POST wait")!, asked.get("GET result")!];
    expect([...asked.keys()].toSorted()).toEqual(["GET result", "POST wait"]);
    expect(waits).toBeLessThan(60);
    // Those who wait alone ask again after 30 s.
    expect(gets).toBeLessThan(1_100);
  });

  it("are given up in time, by each who waits, however many do", async () => {
    const { client, asked, runs } = await waiting(300);
    const reason = new Error("enough");
    const began = performance.now();
    const took = async (result: Promise<unknown>, outcome: unknown): Promise<number> => {
      await expect(result).rejects.toMatchObject(outcome as object);
      return performance.now() - began;
    };
    const gone = new AbortController();
    let goneAt = 0;
    setTimeout(() => {
      goneAt = performance.now() - began;
      gone.abort(reason);
    }, 500);
    const left = runs.slice(290).map((run) => took(run.result({ signal: gone.signal }), reason));
    const times = await Promise.all(runs.map((run) => took(run.result({ timeout: 1_000 }), { code: "WaitTimeout" })));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(999);
    expect(Math.max(...times)).toBeLessThan(2_300);
    expect(Math.max(...(await Promise.all(left))) - goneAt).toBeLessThan(500);
    expect(asked.get("POST wait")).toBeLessThan(20);
    // Also one of no time at all asks whether there is a result.
    await Promise.all(runs.map((run) => run.cancel()));
    await until(() => areEnded(client));
    const some = runs.slice(0, 40).map((run) => run.result({ timeout: 0 }).catch((error: Error) => error.name));
    expect(new Set(await Promise.all(some))).toEqual(new Set(["RunCancelled"]));
  });

  it("are waited for while the control plane ends and comes back", { timeout: 60_000 }, async () => {
    const bed = await testBed();
    const first = await openPlane(bed, { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } });
    openWorker(first.port, [""]);
    await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length > 0);
    const url = `http://127.0.0.1:${first.httpPort}`;
    const client = createClient({ url, retry: { baseMs: 10, capMs: 200 } });
    const runs = await client.startMany(
      approving,
      Array.from({ length: 200 }, () => ({ input: 1 })),
    );
    const results = Promise.all(runs.map((run) => run.result()));
    await until(async () => (await runs[199]!.status()).phase === "waiting");
    await first.close();
    const again = await openPlane(bed, { listen: { grpc: "127.0.0.1:0", http: `127.0.0.1:${first.httpPort}` } });
    openWorker(again.port, [""]);
    const body = { action: "signal", filter: { type: approving.name }, name: approval.name, value: { by: "you" } };
    await client.request("POST", "/runs/bulk", { body });
    expect(await results).toEqual(runs.map(() => ["you"]));
  });
});
