import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { action, currentCall, type Dependency, depends } from "./index.ts";

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** A provider that writes down when its value is made and disposed of. */
function noted(name: string, notes: string[], needs: Record<string, Dependency<unknown>> = {}): Dependency<string> {
  return depends(
    async function* () {
      notes.push(`make ${name}`);
      yield name;
      notes.push(`dispose ${name}`);
    },
    { needs },
  );
}

describe("what an action needs", () => {
  it("is refused beside a default value, which hides where the last parameter is", async () => {
    const declare = (handler: (...args: never[]) => Promise<unknown>) => (): unknown =>
      Reflect.apply(action, undefined, ["send", { needs: { mailer: depends(() => "mailer") } }, handler]);
    const message = 'The handler of the action "send" has a parameter with a default value, and needs something';
    const methods = {
      async method(_a: string, _b = 1, _needs: unknown) {},
      async plain(_a: string, _needs: unknown) {},
    };
    for (const handler of [
      async (_to: string, _subject = "hi", _needs: unknown) => 1,
      async (_to = { a: [1] }, _needs: unknown) => 1,
      async function send(_to: string, /* ) */ _subject = ")", { mailer }: { mailer: string }) {
        return mailer;
      },
      methods.method,
    ]) {
      expect(declare(handler)).toThrow(message);
    }
    for (const handler of [
      async (_to: string, { mailer = "=" }: { mailer?: string }) => mailer,
      async (_needs: unknown) => 1,
      async (_a: string, ..._more: unknown[]) => 1,
      methods.plain,
      Math.max.bind(Math) as never,
    ]) {
      expect(declare(handler)).not.toThrow();
    }
  });

  it("is refused where nobody can be sure which parameter is the last, unless schemas say it", async () => {
    const handlers = [
      async ({ pattern = /[=)]/ }: { pattern?: RegExp }, _subject = "hi", _needs: unknown) => pattern,
      async ({ text = `=)` }: { text?: string }, _needs: unknown) => text,
    ];
    const needs = { mailer: depends(() => "mailer") };
    for (const handler of handlers) {
      expect(() => Reflect.apply(action, undefined, ["send", { needs }, handler])).toThrow("are hard to read");
    }
    const input = [z.object({ text: z.string().optional() })] as const;
    const send = action("send", { needs, input }, async ({ text = `=)` }, { mailer }) => `${text} ${mailer}`);
    expect(await send({})).toBe("=) mailer");
  });

  it("is what comes last, whatever callers add", async () => {
    const forged = { mailer: "forged" };
    const needs = { mailer: depends(() => "real") };
    const handler = async (to: string, { mailer }: { mailer: string }): Promise<string> => `${to} by ${mailer}`;
    const ignoring = async (to: string, copies: number): Promise<string> => `${to} ${copies}`;
    for (const send of [
      action("send", { needs }, handler),
      action("send", { needs, isolate: "thread" }, handler),
      action("send", { needs, input: z.string() }, handler),
      action("send", { needs, input: [z.string()] }, handler),
      action("send", { needs }, vi.fn(handler)),
      action("send", { needs, use: [async (call, next) => next([...call.args, forged, forged])] }, handler),
    ]) {
      for (const more of [[], [forged], [0, ["ada"]], [undefined, forged, forged]]) {
        expect(await Reflect.apply(send, undefined, ["ada", ...more])).toBe("ada by real");
      }
    }
    const copied = action("copied", { needs, input: [z.string(), z.number()] }, ignoring);
    expect(await copied("ada", 2)).toBe("ada 2");
    const all = Reflect.apply(action, undefined, ["all", { needs }, async (...given: unknown[]) => given]);
    expect(await Reflect.apply(all, undefined, ["a", "b"])).toEqual(["a", "b", { mailer: "real" }]);
  });

  it("comes last, also when arguments before it were left out", async () => {
    const needs = { base: depends(() => 10) };
    const add = action("add", { needs }, async (a: number, b: number | undefined, { base }) => a + (b ?? 1) + base);
    expect(await add(1, 2)).toBe(13);
    expect(await Reflect.apply(add, undefined, [1])).toBe(12);
  });

  it("is made for each invocation and each try, never at import", async () => {
    let made = 0;
    const provider = vi.fn<() => number>(() => ++made);
    const give = action("give", { needs: { count: depends(provider) } }, async ({ count }) => {
      if (count === 2) throw new Error("once more");
      return count;
    });
    expect(provider).not.toHaveBeenCalled();
    expect(await give()).toBe(1);
    expect(await give.with({ retry: { attempts: 2 } })()).toBe(3);
  });

  it("is made by functions that are sync, async, generators or async generators", async () => {
    const needs = {
      sync: depends(() => "sync"),
      async: depends(async () => "async"),
      generator: depends(function* () {
        yield "generator";
      }),
      asyncGenerator: depends(async function* () {
        yield "async generator";
      }),
    };
    const all = action("all", { needs }, async (values) => ({ ...values }));
    expect(await all()).toEqual({
      sync: "sync",
      async: "async",
      generator: "generator",
      asyncGenerator: "async generator",
    });
  });

  it("is made once, whoever needs it, by the same depends() or another one of the same provider", async () => {
    const getConfig = vi.fn<() => { url: string }>(() => ({ url: "u" }));
    const config = depends(getConfig);
    const client = depends(async ({ config }) => ({ config }), { needs: { config } });
    const other = depends(async ({ config }) => ({ config }), { needs: { config: depends(getConfig) } });
    let same = false;
    const use = action("use", { needs: { config, client, other } }, async ({ config, client, other }) => {
      same = client.config === config && other.config === config;
    });
    await use();
    expect(same).toBe(true);
    expect(getConfig).toHaveBeenCalledTimes(1);
  });

  it("is made concurrently where it can be, and after what it needs itself", async () => {
    const notes: string[] = [];
    const slow = (name: string, needs: Record<string, Dependency<unknown>> = {}): Dependency<string> =>
      depends(
        async () => {
          notes.push(`begin ${name}`);
          await pause();
          notes.push(`end ${name}`);
          return name;
        },
        { needs },
      );
    const a = slow("a");
    const b = slow("b");
    const c = slow("c", { a, b });
    await action("use", { needs: { c } }, async (_needs) => {})();
    expect(notes).toEqual(["begin a", "begin b", "end a", "end b", "begin c", "end c"]);
  });
});

describe("disposing of what was needed", () => {
  it("tells a generator what came of the work, and runs what stands behind its yield on either way", async () => {
    const seen: unknown[] = [];
    const transaction = depends(async function* () {
      const failure: { error: unknown } | undefined = yield "tx";
      seen.push(failure?.error);
    });
    const boom = new RangeError("boom");
    const use = action("use", { needs: { transaction } }, async (fails: boolean, _needs) => {
      if (fails) throw boom;
    });
    await use(false);
    await expect(use(true)).rejects.toThrow("boom");
    expect(seen).toEqual([undefined, boom]);
  });

  it("happens after the handler in reverse order, by generator, Symbol.asyncDispose or Symbol.dispose", async () => {
    const notes: string[] = [];
    const first = noted("generator", notes);
    const second = depends(() => ({ [Symbol.dispose]: () => notes.push("dispose sync") }), { needs: { first } });
    const third = depends(
      () => ({
        async [Symbol.asyncDispose]() {
          await pause();
          notes.push("dispose async");
        },
      }),
      { needs: { second } },
    );
    await action("use", { needs: { third } }, async (_needs) => {
      notes.push("handler");
    })();
    expect(notes).toEqual(["make generator", "handler", "dispose async", "dispose sync", "dispose generator"]);
  });

  it("happens when the handler fails, when another provider fails, and when the result does not fit", async () => {
    const notes: string[] = [];
    const good = noted("good", notes);
    const bad = depends(
      async () => {
        throw new Error("no connection");
      },
      { needs: { good } },
    );
    const fail = action("fail", { needs: { good } }, async (_needs) => {
      throw new Error("handler");
    });
    await expect(fail()).rejects.toThrow("handler");
    await expect(action("never", { needs: { bad } }, async (_needs) => {})()).rejects.toThrow("no connection");
    expect(notes).toEqual(["make good", "dispose good", "make good", "dispose good"]);
  });

  it("waits for providers that are still on their way when another has failed", async () => {
    const notes: string[] = [];
    const slow = depends(async function* () {
      await pause();
      notes.push("make");
      yield 1;
      notes.push("dispose");
    });
    const bad = depends(async () => Promise.reject(new Error("at once")));
    await expect(action("use", { needs: { slow, bad } }, async (_needs) => {})()).rejects.toThrow("at once");
    expect(notes).toEqual(["make", "dispose"]);
  });

  it("fails the attempt if it fails, and goes on with the others", async () => {
    const notes: string[] = [];
    const broken = (message: string): Dependency<object> =>
      depends(() => ({
        [Symbol.dispose]() {
          notes.push(message);
          throw new Error(message);
        },
      }));
    await expect(action("one", { needs: { a: broken("a") } }, async (_needs) => "fine")()).rejects.toThrow("a");
    const two = action("two", { needs: { a: broken("a"), b: broken("b") } }, async (_needs) => "fine");
    await expect(two()).rejects.toMatchObject({ errors: [{ message: "b" }, { message: "a" }] });
    expect(notes).toEqual(["a", "b", "a"]);
  });

  it("leaves the handler's error the error, with its own ones as suppressed", async () => {
    const broken = depends(() => ({
      [Symbol.dispose]() {
        throw new Error("disposal");
      },
    }));
    const fail = action("fail", { needs: { broken } }, async (_needs) => {
      throw new RangeError("handler", { cause: "its own" });
    });
    const error = await fail().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: "handler", cause: "its own", suppressed: [{ message: "disposal" }] });
  });

  it("does not end what a provider only lends: what a generator yields is not disposed of itself", async () => {
    const dispose = vi.fn<() => void>();
    const pool = { [Symbol.dispose]: dispose };
    const lent = depends(function* () {
      yield pool;
    });
    await action("use", { needs: { lent } }, async (_needs) => {})();
    expect(dispose).not.toHaveBeenCalled();
  });

  it("refuses generators that yield nothing, or twice", async () => {
    const none = depends(function* getNothing(): Generator<number> {});
    await expect(action("a", { needs: { none } }, async (_needs) => {})()).rejects.toThrow(
      "The provider getNothing has ended without a value. Let it yield one.",
    );
    const twice = depends(function* getTwo() {
      yield 1;
      yield 2;
    });
    await expect(action("b", { needs: { twice } }, async (_needs) => {})()).rejects.toThrow("getTwo has yielded twice");
  });
});

describe("mistakes in what is needed", () => {
  it("are told when the action is declared: a circle is named", () => {
    const getA = async (): Promise<number> => 1;
    const getB = async (): Promise<number> => 2;
    const a = depends(getA, { needs: { b: depends(getB, { needs: { a: depends(getA) } }) } });
    expect(() => action("round", { needs: { a } }, async (_needs) => {})).toThrow(
      'What action "round" needs goes in a circle: getA → getB → getA. Let one of them do without the next.',
    );
    const self: { readonly needs: Record<string, Dependency<unknown>> } = { needs: {} };
    const own = depends(async () => 1, self);
    self.needs["own"] = own;
    expect(() => action("self", { needs: { own } }, async (_needs) => {})).toThrow("own → own");
  });

  it("are told: one provider with different needs, and what is no dependency", () => {
    const get = async (): Promise<number> => 1;
    const config = depends(() => 1);
    const needs = { a: depends(get), b: depends(get, { needs: { config } }) };
    expect(() => action("two", { needs }, async (_needs) => {})).toThrow("needs the provider get in two ways");
    expect(() => Reflect.apply(action, undefined, ["odd", { needs: { a: { b: 1 } } }, get])).toThrow(
      'The need a of action "odd" is no dependency. Write depends(provider).',
    );
    expect(() => Reflect.apply(depends, undefined, [5])).toThrow(TypeError);
  });
});

describe("the call that code is part of", () => {
  it("is known in handlers and providers, with one idempotency key for all attempts", async () => {
    const seen: string[] = [];
    const call = depends(() => currentCall());
    const flaky = action("flaky", { needs: { call }, retry: { attempts: 2 } }, async ({ call }) => {
      await pause();
      const own = currentCall();
      expect(own).toBe(call);
      own.heartbeat({ done: 1 });
      seen.push(own.idempotencyKey);
      if (own.attempt === 1) throw new Error("again");
      return { action: own.action, runId: own.runId, attempt: own.attempt };
    });
    const { runId, ...rest } = await flaky();
    expect(rest).toEqual({ action: "flaky", attempt: 2 });
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toContain(runId);
    await flaky();
    expect(new Set(seen).size).toBe(2);
    expect(() => currentCall()).toThrow("handler of an action");
  });

  it("gives the next attempt a copy of what the last one told", async () => {
    const seen: unknown[] = [];
    const pages = action("pages", { retry: { attempts: 4 } }, async () => {
      const { attempt, heartbeat, heartbeatDetails, call, idempotencyKey, runId, deadline } = currentCall();
      seen.push(heartbeatDetails);
      expect(idempotencyKey).toBe(`${runId}/${call}`);
      expect(deadline).toBeNull();
      const told = { page: attempt, at: new Date(attempt) };
      if (attempt !== 2) heartbeat(told);
      told.page = 99;
      if (attempt < 4) throw new Error("again");
    });
    await pages();
    const first = { page: 1, at: new Date(1) };
    expect(seen).toEqual([undefined, first, first, { page: 3, at: new Date(3) }]);
    expect(seen[1]).not.toBe(seen[2]);
    await pages();
    expect(seen[4]).toBeUndefined();
  });

  it("is aborted by its timeout, and what was needed is disposed of once the handler has ended", async () => {
    const ended = new Promise<string>((resolve) => {
      const resource = depends(function* () {
        yield 1;
        resolve("disposed");
      });
      const slow = action("slow", { timeout: 5, needs: { resource } }, async (_needs) => {
        const { signal } = currentCall();
        await new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      });
      slow().catch((error: Error) => expect(error.name).toBe("ActionTimeout"));
    });
    expect(await ended).toBe("disposed");
  });

  it("logs to the console where there is no engine", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    await action("noisy", async () => currentCall().log.warn("careful", { at: 5 }))();
    expect(warn).toHaveBeenCalledWith("[noisy] careful", { at: 5 });
    warn.mockRestore();
  });
});
