import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { type FakePlane, fakePlane, json, problem } from "./fake-plane.ts";

interface Waiting {
  readonly plane: FakePlane;
  /** Ids of requests that are held. */
  readonly held: Map<ServerResponse, readonly string[]>;
  /** Held at one time. */
  most: number;
  readonly ended: Set<string>;
  end(id: string): void;
}

/** A control plane of runs that end when they are told to. */
async function waitingPlane(): Promise<Waiting> {
  const held: Waiting["held"] = new Map();
  const ended = new Set<string>();
  const plane = await fakePlane((response, { url, body }) => {
    if (url !== "/v1/runs/wait") {
      const id = url.split("/")[3]!;
      const outcome = { id, status: "succeeded", phase: null, result: id };
      // Those who wait alone are held for ever.
      return ended.has(id) ? json(response, 200, outcome) : undefined;
    }
    const { ids, waitMs } = JSON.parse(body) as { ids: string[]; waitMs: number };
    const over = ids.filter((id) => ended.has(id));
    if (over.length > 0) return json(response, 200, { items: over.map((id) => ({ id, status: "succeeded" })) });
    held.set(response, ids);
    waiting.most = Math.max(waiting.most, held.size);
    response.on("close", () => held.delete(response));
    setTimeout(() => held.delete(response) && json(response, 200, { items: [] }), waitMs).unref();
  });
  const waiting: Waiting = {
    ...{ plane, held, ended, most: 0 },
    end: (id) => {
      ended.add(id);
      for (const [response, ids] of held)
        if (ids.includes(id) && held.delete(response)) json(response, 200, { items: [{ id, status: "succeeded" }] });
    },
  };
  return waiting;
}

function asked({ plane }: Waiting): number {
  return plane.asked.filter(({ url }) => url === "/v1/runs/wait").length;
}

const SLOW = { timeout: 20_000, interval: 5 };

describe("those who wait together", () => {
  it("and come one by one are asked for soon, by few requests, of which few are held", async () => {
    const waiting = await waitingPlane();
    const client = createClient({ url: waiting.plane.url });
    const began = performance.now();
    const results: Promise<unknown>[] = [];
    for (let index = 0; index < 320; index++) {
      results.push(client.run(`r${index}`).result());
      if (index % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await vi.waitFor(() => expect([...waiting.held.values()].flat()).toHaveLength(300), SLOW);
    const tookMs = performance.now() - began;
    expect(asked(waiting)).toBeLessThan(tookMs / 50 + 2);
    // What is given up may be held for a moment beside what takes its place.
    expect(waiting.most).toBeLessThanOrEqual(15);
    for (let index = 20; index < 320; index++) waiting.end(`r${index}`);
    expect(await Promise.all(results.slice(20))).toEqual(Array.from({ length: 300 }, (_, index) => `r${index + 20}`));
    expect(waiting.held.size).toBe(0);
  });

  it("have turns when they are more than all requests take", async () => {
    const waiting = await waitingPlane();
    const over = new AbortController();
    const client = createClient({ url: waiting.plane.url, signal: over.signal });
    const results = Array.from({ length: 12_520 }, (_, index) => client.run(`r${index}`).result());
    await vi.waitFor(() => expect(waiting.held.size).toBe(10), SLOW);
    const alone = new Set(Array.from({ length: 20 }, (_, index) => `r${index}`));
    const seen = new Set([...waiting.held.values()].flat());
    const left = Array.from({ length: 12_520 }, (_, index) => `r${index}`).find(
      (id) => !seen.has(id) && !alone.has(id),
    )!;
    waiting.ended.add(left);
    expect(await results[Number(left.slice(1))]).toBe(left);
    expect(waiting.most).toBeLessThanOrEqual(20);
    over.abort(new Error("enough"));
    await Promise.allSettled(results);
  });

  it("are let go when nobody wants their results any more", async () => {
    const waiting = await waitingPlane();
    const client = createClient({ url: waiting.plane.url });
    const gone = new AbortController();
    const results = Array.from({ length: 50 }, (_, index) => {
      const timeout = index % 2 === 0 ? {} : { timeout: 60_000 };
      return client.run(`r${index}`).result({ signal: gone.signal, ...timeout });
    });
    await vi.waitFor(() => expect([...waiting.held.values()].flat()).toHaveLength(30), SLOW);
    const reason = new Error("enough");
    gone.abort(reason);
    for (const result of await Promise.allSettled(results)) expect(result).toMatchObject({ reason });
    await vi.waitFor(() => expect(waiting.held.size).toBe(0), SLOW);
  });

  it("are told what is wrong, each of them, and tried again as long as each would be alone", async () => {
    const refusing = await fakePlane((response) => problem(response, 401, "Unauthenticated"));
    const refused = createClient({ url: refusing.url });
    const unknown = Array.from({ length: 100 }, (_, index) => refused.run(`r${index}`).result());
    for (const result of await Promise.allSettled(unknown))
      expect(result).toMatchObject({ reason: { code: "Unauthenticated", status: 401 } });
    expect(refusing.asked.length).toBeLessThan(60);
    const silent = await fakePlane((response) => void response.destroy());
    const client = createClient({ url: silent.url, retry: { forMs: 1_000, baseMs: 10, capMs: 50 } });
    const began = performance.now();
    const early = Array.from({ length: 100 }, () => client.run("x").result());
    await new Promise((resolve) => setTimeout(resolve, 500));
    const late = Array.from({ length: 100 }, async () => {
      await expect(client.run("y").result()).rejects.toMatchObject({ code: "NoAnswer" });
      return performance.now() - began;
    });
    for (const result of await Promise.allSettled(early))
      expect(result).toMatchObject({ reason: { code: "NoAnswer" } });
    expect(Math.min(...(await Promise.all(late)))).toBeGreaterThan(1_400);
  });
});
