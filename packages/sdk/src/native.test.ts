import { afterEach, describe, expect, it, vi } from "vitest";
import { attempt, LazyAbort } from "./host/index.ts";
import {
  action,
  type ActionDefinition,
  ActionTimeout,
  compensate,
  currentCall,
  definitionOf,
  emit,
  mapLimit,
  NotStorable,
  progress,
  runInfo,
  signal,
  sleep,
  step,
  workflow,
} from "./index.ts";

class Declined extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`declined with ${code}`);
    this.code = code;
  }
}

afterEach(() => vi.useRealTimers());

describe("an action called natively", () => {
  it("gets copies of its arguments, taken when the call is evaluated, and gives a copy of its result", async () => {
    const kept: unknown[] = [];
    const keep = action("keep", async (list: number[]) => {
      kept.push(list);
      return list;
    });
    const list = [1, 2];
    const promise = keep(list);
    list.push(3);
    const result = await promise;
    expect(result).toEqual([1, 2]);
    expect(result).not.toBe(kept[0]);
  });

  it("begins when the call is evaluated", async () => {
    let begun = false;
    const begin = action("begin", { retry: { attempts: 2 } }, async () => {
      begun = true;
    });
    const promise = begin();
    expect(begun).toBe(true);
    await promise;
  });

  it("passes errors on with their class, properties and cause", async () => {
    const fail = action("fail", async () => {
      throw Object.assign(new Declined(51), { cause: new RangeError("limit") });
    });
    const error = await fail().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Declined);
    expect(error).toMatchObject({ message: "declined with 51", code: 51 });
    expect((error as Error).cause).toBeInstanceOf(RangeError);
  });

  it("passes errors on with the stacks that they had, through a workflow too, and yet as copies", async () => {
    const thrown: Error[] = [];
    const fail = action("fail", async function thrower() {
      thrown.push(new AggregateError([new TypeError("inner")], "outer", { cause: new RangeError("limit") }));
      throw thrown[0];
    });
    const flow = workflow("flow", async () => fail());
    for (const call of [fail, flow]) {
      const error = (await call().catch((reason: unknown) => reason)) as AggregateError;
      expect(error).not.toBe(thrown.pop());
      expect(error.stack).toMatch(/^AggregateError: outer\n {4}at .*thrower .*native\.test\.ts/);
      expect((error.cause as Error).stack).toMatch(/limit\n {4}at .*thrower/);
      expect((error.errors[0] as Error).stack).toMatch(/inner\n {4}at .*thrower/);
      expect(Object.keys(error)).toEqual([]);
    }
  });

  it("passes on errors whose stack is something else", async () => {
    const fail = action("fail", async () => {
      const error = new Error("odd");
      Object.defineProperty(error, "stack", {
        get: () => {
          throw new Error("no stack");
        },
      });
      throw error;
    });
    await expect(fail()).rejects.toMatchObject({ message: "odd", stack: "Error: odd" });
  });

  it("rejects with NotStorable and the path, for arguments and for results", async () => {
    const take = action("take", async (_value: unknown) => 1);
    await expect(take({ deep: [() => 1] })).rejects.toThrow(NotStorable);
    await expect(take({ deep: [() => 1] })).rejects.toMatchObject({ path: expect.stringContaining("deep[0]") });
    const give = action("give", { retry: { attempts: 3 } }, async () => Symbol("no"));
    await expect(give()).rejects.toThrow(NotStorable);
  });

  it("says whose result cannot be stored", async () => {
    class Database {
      query(): void {}
    }
    const open = action("db.open.v1", async () => ({ db: new Database() }));
    const error = (await open().catch((thrown: unknown) => thrown)) as NotStorable;
    expect(error).toMatchObject({ name: "NotStorable", path: "result.db", reason: "class" });
    expect(error.message).toMatch(/^db\.open\.v1: result\.db cannot be stored: .*needs: \{ db: depends\(getDb\) \}/);
    expect(error.stack).toMatch(/^NotStorable: db\.open\.v1: result\.db cannot/);
    await expect(step("open", async () => () => 1)).rejects.toThrow(/^open: result cannot be stored: it is a function/);
  });

  it("is still the current call where it hears that it is aborted, natively and for the engine", async () => {
    const heard: unknown[] = [];
    const listen = action("listen", { timeout: 5 }, () => {
      currentCall().signal.addEventListener("abort", () => heard.push(currentCall().action));
      return new Promise<void>(() => {});
    });
    await expect(listen()).rejects.toThrow(ActionTimeout);
    const task = definitionOf(listen) as ActionDefinition;
    const abort = new LazyAbort();
    const context = {
      get signal() {
        return abort.signal;
      },
      attempt: 1,
      idempotencyKey: "key",
      runId: "run",
      call: "1.0",
      action: "listen on the engine",
      deadline: null,
      heartbeat: () => {},
      heartbeatDetails: undefined,
      stream: async () => {},
      log: console,
    };
    expect(await attempt({ task, args: "[]", options: null, abort, context })).toMatchObject({ kind: "error" });
    expect(heard).toEqual(["listen", "listen on the engine"]);
  });

  it("calls others as part of the same run", async () => {
    const runId = action("runId", async () => currentCall().runId);
    const both = action("both", async () => [currentCall().runId, await runId()]);
    const [own, other] = await both();
    expect(own).toBe(other);
  });

  it("is tried as often as its options say, unless the error is not worth it", async () => {
    let tries = 0;
    const flaky = action("flaky", async (until: number) => {
      tries += 1;
      if (tries < until) throw new Declined(tries);
      return tries;
    });
    await expect(flaky(2)).rejects.toThrow(Declined);
    tries = 0;
    expect(await flaky.with({ retry: { attempts: 3 } })(3)).toBe(3);
    tries = 0;
    const once = flaky.with({ retry: { attempts: 3 }, nonRetryable: ["Declined"] });
    await expect(once(3)).rejects.toThrow("declined with 1");
    expect(tries).toBe(1);
  });

  it("fails with ActionTimeout when it takes too long", async () => {
    const slow = action("slow", { timeout: "10 ms" }, () => new Promise<void>(() => {}));
    await expect(slow()).rejects.toThrow(ActionTimeout);
  });

  it("may be started now and awaited later, though it fails meanwhile", async () => {
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    const fail = action("fail", async () => {
      throw new Error("early");
    });
    const later = fail();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", unhandled);
    await expect(later).rejects.toThrow("early");
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("settles in a macrotask of its own, as each result is an input of its own", async () => {
    const order: string[] = [];
    const answer = action("answer", async (name: string) => name);
    const follow = async (name: string): Promise<void> => {
      order.push(await answer(name));
      await Promise.resolve();
      await Promise.resolve();
      order.push(`${name} done`);
    };
    await Promise.all([follow("a"), follow("b")]);
    expect(order).toEqual(["a", "a done", "b", "b done"]);
  });
});

describe("a workflow called natively", () => {
  it("runs its compensations newest first when it fails, and fails with its own error", async () => {
    const undone: string[] = [];
    const undo = action("undo", async (what: string) => {
      undone.push(what);
      if (what === "second") throw new Error("cannot be undone");
    });
    const flow = workflow("flow", async (fails: boolean) => {
      compensate(undo, "first");
      compensate(undo, "second");
      compensate(undo, "third");
      if (fails) throw new Declined(1);
      return "fine";
    });
    expect(await flow(false)).toBe("fine");
    expect(undone).toEqual([]);
    await expect(flow(true)).rejects.toThrow(Declined);
    expect(undone).toEqual(["third", "second", "first"]);
  });

  it("has run information of its own, with its parent's id in a child", async () => {
    const child = workflow("child", { tags: ["small"] }, async () => runInfo());
    const parent = workflow("parent", async () => ({ own: runInfo(), child: await child() }));
    const { own, child: inner } = await parent();
    expect(own).toMatchObject({ type: "parent", parent: null, attempt: 1, namespace: "default" });
    expect(inner).toMatchObject({ type: "child", parent: own.id, tags: ["small"] });
    expect(() => runInfo()).toThrow("body of a workflow");
  });

  it("accepts progress and events that can be stored", async () => {
    const flow = workflow("flow", async () => {
      progress({ done: 1 });
      emit("thing.done.v1", new Date(0));
      expect(() => emit("thing.done.v1", () => 1)).toThrow(NotStorable);
    });
    await flow();
  });

  it("starts detached runs that live on their own", async () => {
    let ended = false;
    const child = workflow("child", async (_input: number) => {
      ended = true;
      throw new Error("nobody's");
    });
    expect(await child.start(1)).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(ended).toBe(true);
  });

  it("sleeps really, also for longer than a timer can count, and as long as fake timers say", async () => {
    vi.useFakeTimers();
    const flow = workflow("flow", async () => {
      await sleep("5 weeks");
      return Date.now();
    });
    const start = Date.now();
    const promise = flow();
    await vi.advanceTimersByTimeAsync(35 * 86_400_000);
    expect((await promise) - start).toBe(35 * 86_400_000);
    vi.useRealTimers();
    await sleep(new Date(0));
    await sleep(-5);
    // @ts-expect-error callers without types give anything
    await expect(sleep("soon")).rejects.toThrow(RangeError);
    await expect(sleep(Number.NaN)).rejects.toThrow(RangeError);
  });

  it("goes from sleep to sleep as fake timers are advanced, with actions in between", async () => {
    vi.useFakeTimers();
    const note = action("note", async (text: string) => {
      notes.push(`${text} at ${Date.now() - start}`);
    });
    const child = workflow("child", async () => {
      await note("child");
      await sleep("1 hour");
    });
    const flow = workflow("flow", async () => {
      await note("first");
      await sleep("1 day");
      await note("second");
      await child();
      await mapLimit(["a", "b"], 1, note);
      await sleep("1 day");
      return note("third");
    });
    const notes: string[] = [];
    const start = Date.now();
    const run = flow();
    await vi.advanceTimersByTimeAsync(86_400_000);
    const hour = 3_600_000;
    expect(notes).toEqual(["first at 0", `second at ${24 * hour}`, `child at ${24 * hour}`]);
    await vi.advanceTimersByTimeAsync(2 * 86_400_000);
    await run;
    expect(notes.slice(3)).toEqual([`a at ${25 * hour}`, `b at ${25 * hour}`, `third at ${49 * hour}`]);
  });

  it("says how to run a body that waits for a signal", async () => {
    await expect(signal("approved").wait()).rejects.toThrow("cairn try");
  });
});

const handler = async (n: number): Promise<number> => n;

describe("step, mapLimit and definitions", () => {
  it("runs an inline step as an action", async () => {
    const list = [1];
    expect(await step("copy", async () => list)).not.toBe(list);
  });

  it("keeps at most n under way and starts no more after a failure", async () => {
    const started: number[] = [];
    let open = 0;
    let openMax = 0;
    const work = action("work", async (item: number) => {
      started.push(item);
      open += 1;
      openMax = Math.max(openMax, open);
      await new Promise((resolve) => setTimeout(resolve, item));
      open -= 1;
      if (item === 7) throw new Error("seven");
      return item * 2;
    });
    expect(await mapLimit([5, 1, 3, 2], 2, (item) => work(item))).toEqual([10, 2, 6, 4]);
    expect(openMax).toBe(2);
    started.length = 0;
    await expect(mapLimit([1, 7, 20, 1, 1], 2, (item) => work(item))).rejects.toThrow("seven");
    expect(started).toEqual([1, 7, 20]);
    await expect(mapLimit([1], 0, work)).rejects.toThrow(RangeError);
  });

  it("hides the definition from everyone but tools", () => {
    const made = action("made", { timeout: 5 }, handler);
    expect(definitionOf(made)).toEqual({ kind: "action", name: "made", options: { timeout: 5 }, handler });
    expect(definitionOf(made.with({ id: "x" }))?.name).toBe("made");
    expect(definitionOf(workflow("flow", async () => 1))?.kind).toBe("workflow");
    expect(definitionOf(handler)).toBeUndefined();
    expect(Object.keys(made)).toEqual([]);
    expect(made.name).toBe("made");
  });

  it("refuses declarations without a name or a function", () => {
    expect(() => action("", async () => 1)).toThrow(TypeError);
    expect(() => Reflect.apply(workflow, undefined, ["flow", {}, 5])).toThrow(TypeError);
    expect(() => Reflect.apply(compensate, undefined, [() => 1])).toThrow(TypeError);
  });
});
