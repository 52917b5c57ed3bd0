import { afterEach, expect, it, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

afterEach(() => void vi.useRealTimers());

it("a result is waited for as long as is said, also if that is longer than timers count", async () => {
  vi.useFakeTimers();
  const fetch = async (): Promise<Response> => {
    await new Promise((resolve) => setTimeout(resolve, DAY_MS / 2));
    return Response.json({ id: "x", status: "leased", phase: "waiting" }, { status: 202 });
  };
  const client = createClient({ url: "http://127.0.0.1:9", fetch });
  let outcome: unknown = "waits";
  void client
    .run("x")
    .result({ timeout: "30 days" })
    .catch((error: unknown) => (outcome = error));
  await vi.advanceTimersByTimeAsync(29 * DAY_MS);
  expect(outcome).toBe("waits");
  await vi.advanceTimersByTimeAsync(2 * DAY_MS);
  expect(outcome).toMatchObject({ code: "WaitTimeout" });
  expect(vi.getTimerCount()).toBe(0);
});
