import { describe, expect, it, onTestFinished } from "vitest";
import { openRaw, rawPost } from "../support/raw-http.ts";
import { openRest } from "../support/test-rest.ts";
import { echo } from "../workflows/basics.ts";

type Json = Readonly<Record<string, unknown>>;

/** Each has a share of what bodies may take. */
const caller = (place: number): { readonly cookie: string } => ({ cookie: `who=${place}` });

const later = { runAt: "2126-01-01T00:00:00Z" };

describe("a batch of starts", () => {
  it("of 10,000 is a matter of seconds; repeated under its key, it is the same runs", { timeout: 60_000 }, async () => {
    const rest = await openRest();
    const body = {
      runs: Array.from({ length: 10_000 }, (_, n) => ({ type: echo.name, payload: `run ${n}`, ...later })),
    };
    const headers = { "idempotency-key": "import-17" };
    const began = performance.now();
    const first = await rest.ask("POST", "/runs/batch", body, headers);
    const tookMs = performance.now() - began;
    const ids = (first.body["items"] as Json[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(10_000);
    // Others may be at work beside it.
    expect(tookMs).toBeLessThan(15_000);
    const again = await rest.ask("POST", "/runs/batch", body, headers);
    expect(again.body["items"]).toEqual(ids.map((id) => ({ id, existed: true })));
    expect(await rest.bed.query("SELECT count(*)::int AS count FROM cairn.runs")).toEqual([{ count: 10_000 }]);
    if (process.env["CAIRN_TELL_FIGURES"] !== undefined) console.log(`10,000 runs in ${Math.round(tookMs)} ms`);
  });

  it(
    "takes room as it arrives: of ten large ones that come at once, some are started, and the others told to come again",
    { timeout: 120_000 },
    async () => {
      const rest = await openRest();
      const text = "x".repeat(100_000);
      const bodyOf = (count: number): string =>
        JSON.stringify({
          runs: Array.from({ length: count }, (_, n) => ({ type: echo.name, payload: `${n}${text}`, ...later })),
        });
      const [medium, full] = [bodyOf(300), bodyOf(660)];
      globalThis.gc?.();
      const before = process.memoryUsage().rss;
      let most = 0;
      const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
      const bodies = Array.from({ length: 10 }, (_, place) => (place % 5 === 0 ? full : medium));
      const answers = await Promise.all(
        bodies.map((body, place) => rest.ask("POST", "/runs/batch", body, caller(place))),
      );
      clearInterval(timer);
      const statuses = answers.map(({ status }) => status);
      expect(
        statuses.every((status) => [200, 408, 429, 503].includes(status)),
        String(statuses),
      ).toBe(true);
      if (process.env["CAIRN_TELL_FIGURES"] !== undefined)
        console.log(`batches of 30 MB and 66 MB: ${String(statuses)}, ${Math.round((most - before) / 1e6)} MB more`);
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(2);
      // The client in this process has its own copies of what it sends.
      expect(most - before).toBeLessThan(1_500e6);
      // Those that were refused are started one after the other.
      for (const [place, status] of statuses.entries()) {
        if (status !== 200) expect((await rest.ask("POST", "/runs/batch", bodies[place])).status).toBe(200);
      }
      expect(rest.warnings).toEqual([]);
    },
  );

  it("that dribbles, or says that it is large, keeps no other out", { timeout: 60_000 }, async () => {
    const rest = await openRest();
    const port = rest.plane.httpPort!;
    const slow = ["transfer-encoding: chunked", `content-length: ${60 * 1024 * 1024}`];
    for (const [place, header] of slow.entries()) {
      const body = place === 0 ? '9\r\n{"runs":[\r\n' : '{"runs":[';
      const said = rawPost("/v1/runs/batch", body, [header, `cookie: who=slow${place}`]);
      const socket = await openRaw(port, said);
      onTestFinished(() => void socket.destroy());
    }
    const began = performance.now();
    const runs = (text: string, count: number): object => ({
      runs: Array.from({ length: count }, () => ({ type: echo.name, payload: text, ...later })),
    });
    expect((await rest.ask("POST", "/runs/batch", runs("small", 3))).status).toBe(200);
    expect((await rest.ask("POST", "/runs/batch", runs("x".repeat(100_000), 100))).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it(
    "that stands still with nearly all there is for its namespace keeps no other out",
    { timeout: 60_000 },
    async () => {
      const tokens = [{ token: "worker" }, { token: "still", namespace: "still" }];
      const rest = await openRest({ token: "worker", tokens });
      const bytes = 64 * 1024 * 1024;
      const headers = [`content-length: ${bytes}`, "authorization: Bearer still"];
      const said = rawPost("/v1/runs/batch", `{"runs":["${"x".repeat(bytes - 2_000_000)}`, headers);
      const socket = await openRaw(rest.plane.httpPort!);
      onTestFinished(() => void socket.destroy());
      await new Promise((resolve) => socket.write(said, resolve));
      const runs = Array.from({ length: 60 }, () => ({ type: echo.name, payload: "x".repeat(100_000), ...later }));
      expect((await rest.ask("POST", "/runs/batch", { runs })).status).toBe(200);
    },
  );
});
