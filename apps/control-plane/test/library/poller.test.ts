import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Poller } from "../../src/library/poller.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** When looks were made, and a poller whose looks say what the test wants. */
function watched(look: (times: number[]) => Promise<boolean>): { readonly poller: Poller; readonly times: number[] } {
  const times: number[] = [];
  const began = Date.now();
  const poller = new Poller(() => {
    times.push(Date.now() - began);
    return look(times);
  });
  return { poller, times };
}

const nothing = async (): Promise<boolean> => false;

it("looks after 5 ms, then after twice as long each time, up to 100 ms: ten times a second", async () => {
  const { poller, times } = watched(nothing);
  poller.start();
  await vi.advanceTimersByTimeAsync(600);
  expect(times).toEqual([5, 15, 35, 75, 155, 255, 355, 455, 555]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(times).toHaveLength(109);
});

it("looks every 5 ms while there is something each time", async () => {
  const { poller, times } = watched(async ({ length }) => length < 50);
  poller.start();
  await vi.advanceTimersByTimeAsync(270);
  expect(times.slice(0, 3)).toEqual([5, 10, 15]);
  expect(times.slice(48)).toEqual([245, 250, 260]);
});

it("looks at once when something has happened here, however long it would have waited", async () => {
  const { poller, times } = watched(nothing);
  poller.start();
  await vi.advanceTimersByTimeAsync(160);
  for (let each = 0; each < 4; each++) poller.hurry();
  await vi.advanceTimersByTimeAsync(20);
  expect(times).toEqual([5, 15, 35, 75, 155, 165, 175]);
});

it("does not look while it is stopped, nor when a look ends after that", async () => {
  const looks: (() => void)[] = [];
  const { poller, times } = watched(() => new Promise((resolve) => looks.push(() => resolve(true))));
  poller.hurry();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(times).toEqual([]);
  poller.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(times).toEqual([1_005]);
  poller.stop();
  looks[0]!();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(times).toHaveLength(1);
});

it("looks once a second while the database cannot be asked", async () => {
  const { poller, times } = watched(async () => {
    throw new Error("ECONNREFUSED");
  });
  poller.start();
  await vi.advanceTimersByTimeAsync(5_100);
  expect(times).toEqual([5, 1_005, 2_005, 3_005, 4_005, 5_005]);
});

it("spends at most a fifth of the time on looks that take long", async () => {
  const { poller, times } = watched(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return true;
  });
  poller.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(times).toEqual([5, 255, 505, 755]);
});
