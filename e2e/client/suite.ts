import {
  CairnError,
  codec,
  createClient,
  type LiveEvent,
  type PayloadCodec,
  RunCancelled,
  sealed,
  SealedUnread,
} from "cairnjs/client";
import type {
  approving,
  held,
  quote,
  refusing,
  same,
  speaking,
  steps,
} from "../../apps/control-plane/test/workflows/clients.ts";

/**
 * What the client does, wherever it runs: the same file in Node.js, Bun, Deno and a browser. It talks to a control plane through a
 * proxy, which loses things when it is asked to.
 */

export interface Outcome {
  readonly name: string;
  /** Null: it is as it should be. */
  readonly problem: string | null;
}

class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }
}

codec("clients.money", Money, { encode: ({ cents }) => cents, decode: (cents: number) => new Money(cents) });

type Client = ReturnType<typeof createClient>;

interface Tools {
  readonly url: string;
  readonly client: Client;
  /** `streams`: all connections are cut. `answer`: the next answer is lost. */
  readonly cut: (what: "streams" | "answer") => Promise<void>;
}

const SUITE: Readonly<Record<string, (tools: Tools) => Promise<void>>> = {
  "values come back as what they were": async ({ client }) => {
    const value = {
      at: new Date(5),
      map: new Map([["a", 1n]]),
      set: new Set([-0]),
      bytes: new Uint8Array([1, 2]),
      nothing: undefined,
    };
    const run = await client.start<typeof same>("clients.same.v1", {
      ...value,
      money: new Money(7),
      text: "ü😀\ud800\0",
    });
    const result = (await run.result()) as typeof value & { money: Money; text: string };
    equal(result.at.getTime(), 5);
    equal(result.map.get("a"), 1n);
    equal(Object.is([...result.set][0], 0), true);
    equal([...result.bytes].join(), "1,2");
    equal("nothing" in result && result.nothing === undefined, true);
    equal(result.money instanceof Money && result.money.cents, 7);
    equal(result.text, "ü😀\ud800\0");
    equal(await (await client.start<typeof quote>("clients.quote.v1", { cents: 4 })).result(), 8);
  },
  "a run that fails rejects with its error": async ({ client }) => {
    const failed = await client.start<typeof refusing>("clients.refusing.v1", "tea");
    const error = await rejected(failed.result());
    equal(error instanceof RangeError && error.message, "no tea");
    equal((error as Error).cause instanceof Map, true);
    const cancelled = await client.start<typeof approving>("clients.approving.v1", 1);
    await cancelled.cancel("enough");
    equal((await rejected(cancelled.result())) instanceof RunCancelled, true);
  },
  "what is wrong has a code": async ({ url, client }) => {
    const missing = await rejected(client.run("x").status());
    equal(missing instanceof CairnError && `${missing.code} ${missing.status}`, "NotFound 404");
    const page = createClient({ url: `${url}/page`, retry: { forMs: 0 } });
    equal(((await rejected(page.run("x").status())) as CairnError).code, "NoControlPlane");
    const nobody = createClient({ url: "http://127.0.0.1:9", retry: { baseMs: 1, forMs: 20 } });
    equal(((await rejected(nobody.run("x").status())) as CairnError).code, "NoAnswer");
  },
  "an answer that is lost is asked for again, and there is one run": async ({ client, cut }) => {
    const tag = `lost-${Math.random()}`;
    await cut("answer");
    const run = await client.start<typeof steps>("clients.steps.v1", 2, { tags: [tag] });
    equal(await run.result(), 3);
    equal((await collected(client.runs({ tag }))).map(({ id }) => id).join(), run.id);
  },
  "a result is waited for over connections that are cut": async ({ client, cut }) => {
    const run = await client.start<typeof approving>("clients.approving.v1", 1);
    const result = run.result();
    await cut("streams");
    await cut("answer");
    await run.signal("clients.approval", { by: "ada" });
    equal((await result).join(), "ada");
  },
  "whoever waits for many results can still send what they wait for": async ({ client }) => {
    const runs = await client.startMany<typeof approving>(
      "clients.approving.v1",
      Array.from({ length: 8 }, () => ({ input: 1 })),
    );
    const results = Promise.all(runs.map((run) => run.result()));
    const before = performance.now();
    for (const run of runs) await run.signal("clients.approval", { by: "bob" });
    equal((await results).join(), runs.map(() => "bob").join());
    // A browser that has no connection left waits until the first of them is over, after 30 s.
    equal(performance.now() - before < 20_000, true);
  },
  "many are started at once": async ({ client }) => {
    const starts = Array.from({ length: 100 }, (_, input) => ({ input }));
    const runs = await client.startMany<typeof same>("clients.same.v1", starts);
    equal((await Promise.all(runs.map((run) => run.result()))).join(), starts.map(({ input }) => input).join());
  },
  "events are told once and in order, over connections that are cut, until the run has ended": async ({
    client,
    cut,
  }) => {
    const times = 6;
    const run = await client.start<typeof approving>("clients.approving.v1", times);
    const events: LiveEvent[] = [];
    let signals = 0;
    for await (const event of run.events()) {
      events.push(event);
      if (event.kind !== "started" && event.kind !== "progress") continue;
      if (signals % 2 === 1) await cut("streams");
      if (signals < times) await run.signal("clients.approval", { by: `n${signals++}` });
    }
    const kept = await collected(client.list<{ kind: string }>(`/runs/${run.id}/events`));
    const told = events.filter(({ kind }) => kind !== "step").map(({ kind }) => kind);
    equal(told.join(), kept.map(({ kind }) => kind).join());
    equal(told.at(-1), "succeeded");
    const inputs = events.filter(({ kind }) => kind === "step").map(({ data }) => (data as { number: number }).number);
    equal(inputs.join(), (await run.history()).map(({ number }) => number).join());
    equal(new Set(events.map(({ cursor }) => cursor)).size, events.length);
  },
  "what actions stream is told once and in order, over connections that are cut": async ({ client, cut }) => {
    const run = await client.start<typeof speaking>("clients.speaking.v1", 40);
    const seen: number[] = [];
    for await (const { value, number } of run.stream()) {
      seen.push(number);
      equal((value as { at: Date }).at.getTime(), number);
      if (number % 15 === 0) await cut("streams");
    }
    equal(seen.join(), Array.from({ length: 40 }, (_, index) => index + 1).join());
  },
  "what is sealed is opened by whoever has the codec, by Web Crypto": async ({ url, client }) => {
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    const codec: PayloadCodec = {
      encode: async (bytes) => {
        const iv = crypto.getRandomValues(new Uint8Array(12));
        const made = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, bytes.slice());
        return new Uint8Array([...iv, ...new Uint8Array(made)]);
      },
      decode: async (bytes) => {
        const iv = bytes.slice(0, 12);
        return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytes.slice(12)));
      },
    };
    const own = createClient({ url, codec });
    const run = await own.start<typeof held>("clients.held.v1", { name: sealed("Ada"), open: 5 });
    await run.signal("clients.held", sealed({ city: "London" }));
    const { name, city } = await run.result();
    equal(`${name.value} of ${city.value.city}`, "Ada of London");
    const other = await client.run<typeof held>(run.id).result();
    equal((await rejected(Promise.resolve().then(() => other.name.value))) instanceof SealedUnread, true);
  },
  "whoever no longer waits is let go": async ({ client }) => {
    const run = await client.start<typeof approving>("clients.approving.v1", 1);
    const controller = new AbortController();
    const reason = new Error("no more");
    const waiting = [run.result({ signal: controller.signal }), ended(run.events({ signal: controller.signal }))].map(
      rejected,
    );
    setTimeout(() => controller.abort(reason), 100);
    for (const each of waiting) equal((await each) === reason, true);
    equal(((await rejected(run.result({ timeout: 30 }))) as CairnError).code, "WaitTimeout");
    await run.pause();
    await run.resume();
    await run.delete();
  },
};

async function ended(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function rejected(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("It was to reject, and did not");
}

function equal(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) throw new Error(`${String(actual)} is not ${String(expected)}`);
}

export async function runSuite(url: string): Promise<Outcome[]> {
  const client = createClient({ url, retry: { baseMs: 20, capMs: 200 } });
  const cut = async (what: string): Promise<void> => void (await (await fetch(`${url}/cut/${what}`)).text());
  const outcomes: Outcome[] = [];
  for (const [name, behaves] of Object.entries(SUITE)) {
    const problem = await behaves({ url, client, cut }).then(
      () => null,
      (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
    outcomes.push({ name, problem });
  }
  return outcomes;
}
