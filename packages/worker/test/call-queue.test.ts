import { describe, expect, it } from "vitest";
import { CallQueue } from "../src/host/call-queue.ts";

describe("I12: calls that wait for a worker", () => {
  it("a higher priority that comes behind 10,000 others is next", () => {
    const queue = new CallQueue<number>();
    for (let n = 0; n < 10_000; n++) queue.add(n, 0);
    queue.add(-1, 1);
    expect(queue.take()).toBe(-1);
    expect(queue.take()).toBe(0);
    expect(queue.size).toBe(9_999);
  });

  it("one in ten is taken by age alone, and each is taken once", () => {
    const queue = new CallQueue<string>();
    queue.add("old", -100);
    for (let n = 0; n < 20; n++) queue.add(`young ${n}`, 100);
    const taken = Array.from({ length: 21 }, () => queue.take());
    expect(taken.indexOf("old")).toBe(9);
    expect(new Set(taken).size).toBe(21);
    expect(queue.take()).toBeUndefined();
    expect(queue.size).toBe(0);
  });

  it("a queue that is never empty forgets what was taken", () => {
    const queue = new CallQueue<number>();
    queue.add(-1, 0);
    for (let n = 0; n < 20_000; n++) {
      queue.add(n, 0);
      queue.take();
    }
    expect(queue.kept).toBeLessThan(10_000);
    expect(queue.size).toBe(1);
  });
});
