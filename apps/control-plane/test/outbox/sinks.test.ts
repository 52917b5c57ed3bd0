import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Cairn, OutgoingEvent, SinkOutcome } from "../../src/index.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { QUICK, someRunIds, untilPublished, writeEvents } from "../support/test-outbox.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { numbers, type ReceivedEvent, testSubscriber } from "../support/test-subscriber.ts";

/** What a subscription of the target says went wrong, when there is an event for it. */
async function failureOf(
  bed: TestBed,
  cairn: Cairn,
  target: Parameters<Cairn["subscriptions"]["upsert"]>[0]["target"],
) {
  await cairn.subscriptions.upsert({ name: "it", types: ["*"], target, ...QUICK });
  await writeEvents(bed, someRunIds(1)[0]!, [0]);
  const { lastError } = await until(async () => {
    const status = await cairn.subscriptions.show("it");
    return status.lastError !== null && status;
  });
  expect((await cairn.subscriptions.test("it")).error).toBe(lastError);
  return lastError;
}

describe("a file", () => {
  it("has a line for each event, and is put aside when it is long", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const path = join(temporaryFolder("events"), "deep", "events.jsonl");
    const target = { kind: "file" as const, path, rotateBytes: 4_000 };
    await cairn.subscriptions.upsert({ name: "log", types: ["*"], target });
    const runs = someRunIds(8);
    for (const run of runs) await writeEvents(bed, run, numbers(10));
    await untilPublished(bed);
    const files = readdirSync(dirname(path)).sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    expect(files.length).toBeGreaterThan(1);
    expect(files.at(-1)).toBe(basename(path));
    const lines = files.flatMap((file) =>
      readFileSync(join(dirname(path), file), "utf8")
        .trim()
        .split("\n"),
    );
    const events = lines.map((line) => JSON.parse(line) as ReceivedEvent);
    expect(events).toHaveLength(80);
    for (const run of runs) {
      expect(events.filter(({ subject }) => subject === run).map(({ data }) => data.number)).toEqual(numbers(10));
    }
  });

  it("that cannot be written is told of in one line", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ onWarning: () => {} });
    const path = join(temporaryFolder("events"), "file");
    writeFileSync(path, "");
    expect(await failureOf(bed, cairn, { kind: "file", path: join(path, "events.jsonl") })).toMatch(/^ENOTDIR.*events/);
  });
});

describe("a port of the process", () => {
  it("is given batches in the order of each run, and answers for each event", async () => {
    const bed = await testBed();
    const taken: OutgoingEvent[] = [];
    let refusals = 0;
    const publish = async (events: readonly OutgoingEvent[]): Promise<SinkOutcome[]> => {
      if (refusals++ < 2) throw new Error("the broker is away");
      return events.map((event) => {
        // Every fifth is refused once in a while: what follows of its run is held back, whatever is answered for it.
        if (refusals < 30 && refusals % 5 === 0) return { taken: false, why: "refused", error: "not now" };
        taken.push(event);
        return { taken: true };
      });
    };
    const cairn = await bed.open({ outbox: { ports: { kafka: { publish } } }, onWarning: () => {} });
    const target = { kind: "port" as const, port: "kafka" };
    await cairn.subscriptions.upsert({ name: "bus", types: ["*"], target, ...QUICK });
    const runs = someRunIds(6);
    for (const number of numbers(10)) for (const run of runs) await writeEvents(bed, run, [number]);
    await untilPublished(bed);
    for (const run of runs) {
      const seen = taken.filter(({ runId }) => runId === run).map(({ json }) => JSON.parse(json) as ReceivedEvent);
      expect([...new Set(seen.map(({ data }) => data.number))]).toEqual(numbers(10));
    }
    expect(taken[0]).toMatchObject({
      namespace: "default",
      type: "order.paid.v1",
      id: expect.stringContaining(taken[0]!.runId),
    });
  });

  it("that the process was not given is told of", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ onWarning: () => {} });
    expect(await failureOf(bed, cairn, { kind: "port", port: "kafka" })).toBe('This process was given no port "kafka"');
    expect((await cairn.subscriptions.show("it")).waiting).toBe(1);
  });
});

describe("what is wrong with a target", () => {
  it("is said in one line: NATS that is away, a secret that is missing, a redirect", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ onWarning: () => {} });
    const away = await failureOf(bed, cairn, { kind: "nats", url: "nats://127.0.0.1:9", subject: "shop" });
    expect(away).toMatch(/^NATS on nats:\/\/127\.0\.0\.1:9 is away: .*(refused|ECONNREFUSED)/i);
    await cairn.subscriptions.delete("it");
    const { url, ...subscriber } = await testSubscriber();
    const secret = await failureOf(bed, cairn, { kind: "webhook", url, secrets: [{ env: "NO_SUCH_SECRET" }] });
    expect(secret).toBe("The secret NO_SUCH_SECRET is not in the environment of the process");
    await cairn.subscriptions.delete("it");
    expect(subscriber.received).toEqual([]);
  });

  it("a redirect is not followed", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ onWarning: () => {} });
    const subscriber = await testSubscriber();
    subscriber.answer = () => 302;
    await cairn.subscriptions.upsert({ name: "it", types: ["*"], target: { kind: "webhook", url: subscriber.url } });
    expect((await cairn.subscriptions.test("it")).error).toMatch(
      /hook answered 302 Found: redirects are not followed$/,
    );
    expect(subscriber.received[0]!.event).toMatchObject({ type: "cairn.test.v1", source: "/cairn/default" });
  });

  it("is refused before anything is stored, with what is wrong", async () => {
    const cairn = await (await testBed()).open();
    const upsert = (changes: object) =>
      cairn.subscriptions.upsert({
        name: "it",
        types: ["order.*"],
        target: { kind: "webhook", url: "https://example.com" },
        ...changes,
      });
    const wrong: [object, RegExp][] = [
      [{ types: ["or*der"] }, /types\.0 is a type such as order\.paid\.v1/],
      [{ types: [] }, /types /],
      [{ target: { kind: "webhook", url: "example.com" } }, /target\.url is an address such as https/],
      [{ target: { kind: "pigeon" } }, /target\.kind /],
      [{ target: { kind: "webhook", url: "https://a.b", secrets: ["whsec_x"] } }, /target\.secrets\.0 /],
      [{ target: { kind: "nats", url: "nats://a", subject: "shop.>" } }, /target\.subject is a subject such as/],
      [{ maxAttempts: 0 }, /maxAttempts must be a whole number/],
      [{ backoffMs: 100, backoffMaxMs: 10 }, /backoffMaxMs \(10\) is at least backoffMs \(100\)/],
      [{ retries: 1 }, /retries/],
    ];
    for (const [changes, message] of wrong) {
      await expect(upsert(changes)).rejects.toMatchObject({
        code: "InvalidOption",
        message: expect.stringMatching(message),
      });
    }
    await expect(cairn.outbox.redrive({})).rejects.toThrow("says all: true");
    await expect(cairn.outbox.show(1)).rejects.toMatchObject({ code: "NotFound" });
    for (const change of ["pause", "resume", "delete", "test", "show"] as const) {
      await expect(cairn.subscriptions[change]("none")).rejects.toMatchObject({ code: "NotFound" });
    }
    expect(await cairn.subscriptions.list()).toEqual([]);
  });
});
