import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { LargeAnswer } from "../../src/http/guard/large-answer.ts";
import { Progress } from "../../src/http/guard/pace.ts";

const pace = { graceMs: 10_000, bytesPerSecond: 1_000 };
const quick = { pace: { graceMs: 50, bytesPerSecond: 64 * 1024 }, lookMs: 5 };

it("what is on its way has a grace, and then comes at its rate", () => {
  const progress = new Progress(0, 500, pace);
  expect(progress.isTooSlow(9_000, 500)).toBe(false);
  expect(progress.isTooSlow(9_500, 1_500)).toBe(false);
  expect(progress.isTooSlow(11_000, 1_500)).toBe(false);
  expect(progress.isTooSlow(12_000, 1_600)).toBe(true);
});

it("who was fast may not stand still for it: nothing, or next to nothing, for as long as the grace is too slow", () => {
  for (const dribbled of [0, 999]) {
    const progress = new Progress(0, 0, pace);
    expect(progress.isTooSlow(1_000, 60_000)).toBe(false);
    expect(progress.isTooSlow(10_900, 60_000 + dribbled)).toBe(false);
    expect(progress.isTooSlow(11_100, 60_000 + dribbled)).toBe(true);
  }
  const going = new Progress(0, 0, pace);
  expect([1_000, 10_900, 20_800].map((at, time) => going.isTooSlow(at, 60_000 + 1_000 * time))).toEqual([
    false,
    false,
    false,
  ]);
});

it("a large answer that is not sent yet has all the time there is", async () => {
  const answer = new LargeAnswer(Buffer.alloc(200_000, 1), quick);
  await setTimeout(150);
  let length = 0;
  for await (const part of answer) length += (part as Buffer).length;
  expect(length).toBe(200_000);
});

it("a large answer that is not taken is over, also if nobody wants to know why", async () => {
  const answer = new LargeAnswer(Buffer.alloc(200_000, 1), quick);
  answer.read(1);
  await new Promise((resolve) => answer.on("close", resolve));
  expect(answer.errored?.message).toBe("The answer is not taken");
});
