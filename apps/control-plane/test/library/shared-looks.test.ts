import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SharedLooks } from "../../src/library/shared-looks.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Who waits, when it was looked for whom, and looks that take so long and find whom the test says. The turn of the event loop before a look
 * is a millisecond of the fake clock, but for the first one.
 */
function watched(lookMs: number, isFound: (who: string) => boolean = () => true) {
  const waiting = new Set<string>();
  const looks: [at: number, ...who: string[]][] = [];
  const began = performance.now();
  const shared = new SharedLooks<string>({
    waiting: () => [...waiting],
    lookFor: async (all) => {
      looks.push([performance.now() - began, ...all]);
      if (lookMs > 0) await new Promise((resolve) => setTimeout(resolve, lookMs));
      for (const who of all) if (isFound(who)) waiting.delete(who);
    },
    pauseMs: 10,
  });
  const wait = (who: string): void => {
    waiting.add(who);
    shared.wake();
  };
  return { wait, waiting, looks };
}

it("looks for all together who begin to wait in one turn of the event loop", async () => {
  const { wait, looks } = watched(0);
  for (const who of ["Ada", "Ben", "Cleo"]) wait(who);
  await vi.advanceTimersByTimeAsync(100);
  expect(looks).toEqual([[0, "Ada", "Ben", "Cleo"]]);
});

it("makes one look at a time: whoever comes meanwhile is looked for after the pause", async () => {
  const { wait, looks } = watched(2);
  wait("Ada");
  await vi.advanceTimersByTimeAsync(1);
  wait("Ben");
  wait("Cleo");
  await vi.advanceTimersByTimeAsync(100);
  expect(looks).toEqual([
    [0, "Ada"],
    [13, "Ben", "Cleo"],
  ]);
});

it("looks again as long as someone waits, and not after that until it is woken", async () => {
  const { wait, waiting, looks } = watched(0, () => false);
  wait("Ada");
  await vi.advanceTimersByTimeAsync(25);
  expect(looks.map(([at]) => at)).toEqual([0, 11, 22]);
  waiting.clear();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toHaveLength(3);
  wait("Ben");
  await vi.advanceTimersByTimeAsync(5);
  expect(looks.slice(3)).toEqual([[1_025, "Ben"]]);
});

it("spends at most a fifth of the time on looks that take long", async () => {
  const { wait, looks } = watched(50, () => false);
  wait("Ada");
  await vi.advanceTimersByTimeAsync(600);
  expect(looks.map(([at]) => at)).toEqual([0, 251, 502]);
});
