import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { OutgoingEvent } from "../../src/index.ts";
import { FileSink } from "../../src/outbox/file-sink.ts";
import { WebhookSink } from "../../src/outbox/webhook-sink.ts";
import { testBed, until } from "../support/test-engine.ts";
import { QUICK, someRunIds, untilPublished, writeEvents } from "../support/test-outbox.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { numbers, testSubscriber } from "../support/test-subscriber.ts";

function event(id: string, text = ""): OutgoingEvent {
  const json = JSON.stringify({ id, data: text });
  return { id, namespace: "default", runId: id, type: "order.paid.v1", json };
}

const idsIn = (path: string): string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"id":"event'))
    .map((line) => (JSON.parse(line) as { readonly id: string }).id);

describe("a file", () => {
  it("whose last line a process has left unfinished that was killed has the next event in a line of its own", async () => {
    const path = join(temporaryFolder("events"), "events.jsonl");
    const sink = new FileSink({ kind: "file", path });
    writeFileSync(path, `{"id":"event-0"}\n{"id":"torn","da`);
    await sink.publish([event("event-1"), event("event-2")]);
    // Another process was killed meanwhile.
    writeFileSync(path, '{"id":"torn","', { flag: "a" });
    await sink.publish([event("event-3")]);
    expect(idsIn(path)).toEqual(["event-0", "event-1", "event-2", "event-3"]);
    expect(readFileSync(path, "utf8")).not.toContain("\n\n");
  });

  it("that two write has whole lines, however large their batches are", async () => {
    const path = join(temporaryFolder("events"), "events.jsonl");
    const target = { kind: "file" as const, path };
    const text = "x".repeat(50_000);
    const batch = (name: string): OutgoingEvent[] => numbers(40).map((n) => event(`event-${name}-${n}`, text));
    const sinks = [new FileSink(target), new FileSink(target)];
    for (const round of numbers(5)) {
      await Promise.all(sinks.map((sink, index) => sink.publish(batch(`${round}-${index}`))));
    }
    expect(idsIn(path).sort()).toEqual(
      numbers(5)
        .flatMap((round) => [...batch(`${round}-0`), ...batch(`${round}-1`)].map(({ id }) => id))
        .sort(),
    );
  });
});

describe("a port", () => {
  it.each<[string, (() => unknown) | null, unknown]>([
    ["nothing of an event", () => undefined, "The port gave no outcome of an event"],
    ["what is no outcome", () => true, "The port gave no outcome of an event"],
    ["no list", null, expect.stringContaining("null")],
    ["a text that no database takes", () => ({ taken: false, why: "refused", error: "a\0b\uD800" }), "a\u2400b\uFFFD"],
    ["an error", () => ({ taken: false, why: "away", error: new Error("gone fishing") }), "gone fishing"],
  ])("that answers %s holds up nobody else", async (_, outcome, says) => {
    const bed = await testBed();
    const publish = async (events: readonly OutgoingEvent[]): Promise<never> =>
      (outcome === null ? null : events.map(outcome)) as never;
    const warnings: string[] = [];
    const cairn = await bed.open({
      outbox: { ports: { odd: { publish } } },
      onWarning: (message) => void warnings.push(message),
    });
    const subscriber = await testSubscriber();
    const target = { kind: "webhook" as const, url: subscriber.url };
    await cairn.subscriptions.upsert({ name: "odd", types: ["*"], target: { kind: "port", port: "odd" }, ...QUICK });
    await cairn.subscriptions.upsert({ name: "well", types: ["*"], target });
    for (const run of someRunIds(3)) await writeEvents(bed, run, [0]);
    await subscriber.untilTaken(3);
    const { deliveries } = await until(async () => {
      const [found] = await cairn.outbox.list({ subscription: "odd", state: "waiting" });
      const shown = found === undefined ? null : await cairn.outbox.show(found.id);
      return shown !== null && shown.deliveries[0]?.lastError != null && shown;
    });
    expect(deliveries).toMatchObject([{ subscription: "odd", lastError: says }]);
    expect(warnings).not.toContain("Events could not be published");
  });
});

it("a dead letter that two redrive is offered once, and whoever discards it then comes too late", async () => {
  const bed = await testBed();
  const cairn = await bed.open({ onWarning: () => {} });
  const subscriber = await testSubscriber();
  subscriber.answer = () => 422;
  const target = { kind: "webhook" as const, url: subscriber.url };
  await cairn.subscriptions.upsert({ name: "shop", types: ["*"], target, ...QUICK, maxAttempts: 1 });
  const [run] = someRunIds(1);
  await writeEvents(bed, run!, [0]);
  const [letter] = await until(async () => {
    const dead = await cairn.outbox.list({ state: "dead" });
    return dead.length === 1 && dead;
  });
  await cairn.subscriptions.pause("shop");
  const counts = await Promise.all(numbers(4).map(() => cairn.outbox.redrive({ id: letter!.id })));
  expect(counts.sort()).toEqual([0, 0, 0, 1]);
  // As of one who has looked at it while it was dead.
  const discarded = await bed.query<{ count: number }>(
    "SELECT cairn.discard_letters(ARRAY[event_id], ARRAY[subscription]) AS count FROM cairn.outbox_backlog",
  );
  expect(discarded).toEqual([{ count: 0 }]);
  subscriber.answer = () => 204;
  await cairn.subscriptions.resume("shop");
  await untilPublished(bed);
  expect(subscriber.numbersOf(run!)).toEqual([0]);
});

it("a subscription that has another address is not paused by an answer of the former one", async () => {
  const bed = await testBed();
  const cairn = await bed.open({ onWarning: () => {} });
  const [former, later] = [await testSubscriber(), await testSubscriber()];
  const upsert = ({ url }: { readonly url: string }) =>
    cairn.subscriptions.upsert({ name: "shop", types: ["*"], target: { kind: "webhook", url }, ...QUICK });
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  let answer = (_status: number): void => {};
  former.answer = () => {
    asked();
    return new Promise((resolve) => (answer = resolve));
  };
  await upsert(former);
  await writeEvents(bed, someRunIds(1)[0]!, [0]);
  await isAsked;
  await upsert(later);
  answer(410);
  await later.untilTaken(1);
  expect(await cairn.subscriptions.show("shop")).toMatchObject({ status: "active" });
});

describe("a webhook", () => {
  it("that never ends its answer keeps no connection", async () => {
    let closed = 0;
    const server = createServer((request, response) => {
      request.resume();
      response.on("close", () => (closed += 1));
      response.writeHead(200);
      const drip = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(drip));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const sink = await WebhookSink.open(
      { kind: "webhook", url },
      { timeoutMs: 200, closing: new AbortController().signal, read: async () => "" },
    );
    onTestFinished(() => sink.close());
    expect(await Promise.all(numbers(3).map((n) => sink.send(event(`event-${n}`))))).toEqual(
      numbers(3).map(() => ({ taken: true })),
    );
    await until(async () => closed === 3);
  });

  it.each([502, 504, 0])(
    "whose gateway answers %i to one event has all others, and that is a dead letter",
    async (status) => {
      const bed = await testBed();
      const cairn = await bed.open({ onWarning: () => {} });
      const subscriber = await testSubscriber();
      const target = { kind: "webhook" as const, url: subscriber.url };
      await cairn.subscriptions.upsert({ name: "shop", types: ["*"], target, ...QUICK, maxAttempts: 4 });
      // Its shard is the first.
      const ids = someRunIds(200);
      const poisoned = ids.find((id) => id.endsWith("0"))!;
      const others = ids.filter((id) => !id.endsWith("0")).slice(0, 20);
      subscriber.answer = ({ subject, data }) => (subject === poisoned && data.number === 0 ? status : 204);
      await writeEvents(bed, poisoned, numbers(2));
      for (const run of others) await writeEvents(bed, run, numbers(3));
      await until(async () => others.every((run) => subscriber.numbersOf(run).length === 3));
      for (const run of others) expect(subscriber.numbersOf(run)).toEqual(numbers(3));
      // Whether it is the event is seen by others.
      await until(async () => {
        await writeEvents(bed, others[0]!, [4]);
        const { waiting, dead, failingSince } = await cairn.subscriptions.show("shop");
        return waiting === 0 && dead === 1 && failingSince === null;
      });
      expect(subscriber.numbersOf(poisoned)).toEqual([1]);
    },
  );

  it("that takes a while for each event holds up nobody else", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const [slow, quick] = [await testSubscriber(), await testSubscriber()];
    slow.answer = () => new Promise((resolve) => setTimeout(() => resolve(204), 300));
    for (const [name, { url }] of Object.entries({ slow, quick })) {
      await cairn.subscriptions.upsert({ name, types: ["*"], target: { kind: "webhook", url }, ...QUICK });
    }
    const [run] = someRunIds(1);
    await writeEvents(bed, run!, numbers(300));
    await quick.untilTaken(300);
    expect(slow.taken().length).toBeLessThan(100);
    // What was put off is sent all the same, in order.
    slow.answer = () => 204;
    await untilPublished(bed);
    expect(slow.numbersOf(run!)).toEqual(numbers(300));
  });
});
