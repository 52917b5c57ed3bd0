import { createClient } from "cairnjs/client";
import { describe, expect, it } from "vitest";
import { openWorker } from "../support/open-worker.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { approval, approving } from "../workflows/clients.ts";

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };

describe("a client of two control planes", () => {
  it("goes on waiting for a result, and following a run, when the one that it asks ends", async () => {
    const bed = await testBed();
    const [first, second] = [await openPlane(bed, { listen }), await openPlane(bed, { listen })];
    for (const { port } of [first, second]) openWorker(port, [""]);
    await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length > 1);
    const url = [first, second].map(({ httpPort }) => `http://127.0.0.1:${httpPort}`);
    const client = createClient({ url, retry: { baseMs: 10 } });
    const run = await client.start(approving, 4);
    const result = run.result();
    const kinds: string[] = [];
    const inputs: number[] = [];
    let signals = 0;
    for await (const { kind, data } of run.events()) {
      if (kind === "step") inputs.push((data as { number: number }).number);
      else kinds.push(kind);
      if (kind !== "started" && kind !== "progress") continue;
      if (signals === 2) await first.close();
      if (signals < 4) await run.signal(approval, { by: `n${signals++}`, at: new Date(5) });
    }
    expect(await result).toEqual(["n0", "n1", "n2", "n3"]);
    expect(inputs).toEqual([1, 2, 3, 4, 5]);
    const kept: string[] = [];
    for await (const { kind } of client.list<{ kind: string }>(`/runs/${run.id}/events`)) kept.push(kind);
    expect(kinds).toEqual(kept);
  });
});
