import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { mock, testRun } from "../src/testing/index.ts";
import {
  action,
  type ActionContext,
  ChunkRefused,
  currentCall,
  definitionOf,
  invoke,
  NotStorable,
} from "../src/index.ts";
import type { ActionDefinition } from "../src/index.ts";
import { race, send } from "./workflows/shop.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const quiet = () => vi.spyOn(console, "warn").mockImplementation(() => {});

describe("stream() in a handler", () => {
  it("takes any value, and says where one cannot be stored", async () => {
    expectTypeOf<ActionContext["stream"]>().toEqualTypeOf<(chunk: unknown) => Promise<void>>();
    quiet();
    const talk = action("talk", async () => {
      const { stream } = currentCall();
      for (const chunk of [1n, new Map([[1, new Date(0)]]), "\ud800\0", undefined]) await stream(chunk);
      await stream({ parts: [1, () => 1] });
    });
    const error = (await talk().catch((thrown: unknown) => thrown)) as NotStorable;
    expect(error).toBeInstanceOf(NotStorable);
    expect(error.path).toBe("chunk.parts[1]");
  });

  it("refuses what is too large, and more than an attempt may stream, and does not try again", async () => {
    quiet();
    const attempts: number[] = [];
    const large = action("large", { retry: { attempts: 3 } }, async (length: number, times: number) => {
      const { stream, attempt } = currentCall();
      attempts.push(attempt);
      for (let index = 0; index < times; index++) await stream("x".repeat(length));
      return "streamed";
    });
    // Quotes are part of it.
    expect(await large(64 * 1024 - 2, 256)).toBe("streamed");
    await expect(large(64 * 1024 - 1, 1)).rejects.toThrow(
      new ChunkRefused("A chunk of large was refused: it has 65537 bytes, and at most 65536 are streamed at once"),
    );
    await expect(large(64 * 1024 - 2, 257)).rejects.toThrow("one attempt streams at most 16777216 bytes");
    expect(attempts).toEqual([1, 1, 1]);
  });

  it("that nobody awaits brings nothing down: what goes wrong is logged, once", async () => {
    const warn = quiet();
    let late: (chunk: unknown) => Promise<void> = async () => {};
    const hasty = action("hasty", async () => {
      const { stream } = currentCall();
      late = stream;
      void stream(() => 1);
      void stream("x".repeat(100_000));
      return "fine";
    });
    expect(await hasty()).toBe("fine");
    await expect(late("more")).rejects.toThrow("its attempt has ended");
    await new Promise((resolve) => setImmediate(resolve));
    expect(warn.mock.calls).toEqual([
      ["[hasty] chunk cannot be stored: it is a function. Pass data, and call the function where it is defined."],
    ]);
  });

  it("ends when the attempt is timed out", async () => {
    let stream: (chunk: unknown) => Promise<void> = async () => {};
    const slow = action("slow", { timeout: 5 }, async () => {
      ({ stream } = currentCall());
      await new Promise(() => {});
    });
    await expect(slow()).rejects.toThrow("slow took longer");
    await expect(stream("late")).rejects.toThrow("slow took longer");
  });

  it("is part of the context that others give to invoke()", async () => {
    const heard: unknown[] = [];
    const talk = action("talk here", async () => currentCall().stream("hi"));
    const context = { stream: async (chunk: unknown) => void heard.push(chunk) } as unknown as ActionContext;
    await invoke(definitionOf(talk) as ActionDefinition, [], context);
    expect(heard).toEqual(["hi"]);
  });
});

describe("a test run", () => {
  it("has what each attempt of a step streamed, as it would be stored", async () => {
    const talking = mock(send, async () => {
      const { stream, attempt } = currentCall();
      const told = { attempt, at: new Date(5) };
      await stream(told);
      told.attempt = 100;
      await stream("then");
      if (attempt < 2) throw new Error("once more");
      return "sent";
    });
    const run = testRun(race, { actions: [talking] });
    await run.result;
    const [step] = run.stepsOf(send);
    expect(step!.attempts.map(({ chunks }) => chunks)).toEqual([
      [{ attempt: 1, at: new Date(5) }, "then"],
      [{ attempt: 2, at: new Date(5) }, "then"],
    ]);
  });
});
