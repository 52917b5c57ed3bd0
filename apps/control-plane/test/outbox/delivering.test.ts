import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Cairn, CairnOptions } from "../../src/index.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { QUICK, untilPublished } from "../support/test-outbox.ts";
import { numbers, testSubscriber, type TestSubscriber } from "../support/test-subscriber.ts";
import { announce, announceAll } from "../workflows/telling.ts";

async function opened(options: CairnOptions = {}): Promise<{ bed: TestBed; cairn: Cairn; subscriber: TestSubscriber }> {
  const bed = await testBed();
  const cairn = await bed.open(options);
  return { bed, cairn, subscriber: await testSubscriber() };
}

function webhook(name: string, { url }: TestSubscriber) {
  return { name, types: ["order.*"], target: { kind: "webhook" as const, url }, ...QUICK };
}

describe("an event that a workflow emits", () => {
  it("arrives as a CloudEvent, signed by each secret, and is published then", async () => {
    const { bed, cairn, subscriber } = await opened();
    const [old, young] = [randomBytes(24), randomBytes(24)].map((key) => `whsec_${key.toString("base64")}`);
    process.env["TEST_HOOK_OLD"] = old;
    process.env["TEST_HOOK_YOUNG"] = young;
    onTestFinished(() => ["TEST_HOOK_OLD", "TEST_HOOK_YOUNG"].forEach((name) => delete process.env[name]));
    const { url } = subscriber;
    const secrets = [{ env: "TEST_HOOK_OLD" }, { env: "TEST_HOOK_YOUNG" }];
    await cairn.subscriptions.upsert({ name: "shop", types: ["order.*"], target: { kind: "webhook", url, secrets } });
    const run = await cairn.start(announce, { count: 1 });
    const [event] = await subscriber.untilTaken(1);
    expect(event).toMatchObject({
      specversion: "1.0",
      type: "order.paid.v1",
      source: "/cairn/default",
      subject: run.id,
      datacontenttype: "application/json",
      data: { number: 0, poison: false },
    });
    const { headers, body } = subscriber.received[0]!;
    expect(headers["content-type"]).toBe("application/cloudevents+json; charset=utf-8");
    expect(headers["webhook-id"]).toBe(event!.id);
    for (const secret of [old, young]) {
      expect(new Webhook(secret!).verify(body, headers as Record<string, string>)).toEqual(event);
    }
    await untilPublished(bed);
    const [stored] = await bed.query<{ at: Date }>("SELECT created_at AS at FROM cairn.outbox_events");
    expect(event!.time).toBe(stored!.at.toISOString());
    // The target names secrets; none is stored.
    const [row] = await bed.query<{ target: unknown }>("SELECT target FROM cairn.subscriptions");
    expect(JSON.stringify(row)).not.toContain("whsec");
  });

  it("that nobody wants counts as published at once", async () => {
    const { bed, cairn } = await opened();
    await (await cairn.start(announce, { count: 3 })).result();
    await untilPublished(bed);
    expect(await cairn.outbox.list()).toHaveLength(3);
  });

  it("goes to everyone who had subscribed before it was written, also in a process that has not heard of them", async () => {
    const { bed, cairn, subscriber } = await opened();
    await until(async () => (await cairn.outbox.stats()).dispatchers.length === 1);
    // As another process would: nobody is told.
    const target = JSON.stringify({ kind: "webhook", url: subscriber.url });
    await bed.query(
      `INSERT INTO cairn.subscriptions (namespace, name, types, target, max_attempts, timeout_ms, backoff_ms, backoff_max_ms, created_at, changed_at)
      VALUES ('default', 'late', '{order.paid.v1}', $1, 1, 1000, 1, 1, cairn.now(), cairn.now())`,
      target,
    );
    const run = await cairn.start(announce, { count: 2 });
    await subscriber.untilTaken(2);
    expect(subscriber.numbersOf(run.id)).toEqual([0, 1]);
  });

  it("is sent by nobody before its transaction has committed", async () => {
    const { bed, cairn, subscriber } = await opened();
    await cairn.subscriptions.upsert({ ...webhook("told", subscriber), types: ["cairn.run.created.v1", "order.*"] });
    await bed.query("BEGIN");
    await bed.query("SELECT cairn.start_run('telling.announce.v1', '{\"count\":0}')");
    // What is emitted later is published meanwhile.
    const other = await cairn.start(announce, { count: 2 });
    await until(async () => subscriber.numbersOf(other.id).filter((number) => number !== undefined).length === 2);
    const told = () => subscriber.taken().filter(({ type }) => type === "cairn.run.created.v1");
    expect(told().filter(({ subject }) => subject !== other.id)).toEqual([]);
    await bed.query("COMMIT");
    await until(async () => told().some(({ subject }) => subject !== other.id));
  });
});

describe("a subscriber", () => {
  it("that is away, then answers 500, then is slow, then is back has every event, in the order of each run", async () => {
    const { bed, cairn, subscriber } = await opened();
    await cairn.subscriptions.upsert({ ...webhook("shop", subscriber), timeoutMs: 60, maxAttempts: 1_000 });
    const other = await testSubscriber();
    await cairn.subscriptions.upsert(webhook("other", other));
    await subscriber.stop();
    const runs = await Promise.all(numbers(10).map(() => cairn.start(announce, { count: 20 })));
    // Whoever is well waits for nobody.
    await other.untilTaken(200);
    await subscriber.start();
    subscriber.answer = () => 500;
    await until(async () => subscriber.received.length >= 5);
    let slow = 0;
    const never = new Promise<number>(() => {});
    subscriber.answer = () => (++slow > 20 ? 204 : never);
    await subscriber.untilTaken(200);
    await untilPublished(bed);
    for (const { id } of runs) {
      expect(subscriber.numbersOf(id)).toEqual(numbers(20));
      expect(other.numbersOf(id)).toEqual(numbers(20));
    }
    expect(await cairn.subscriptions.show("shop")).toMatchObject({ waiting: 0, dead: 0, status: "active" });
  });

  it("that refuses an event holds up its run alone, and goes on behind it once it is a dead letter", async () => {
    const { bed, cairn, subscriber } = await opened();
    await cairn.subscriptions.upsert({ ...webhook("shop", subscriber), maxAttempts: 3 });
    const other = await testSubscriber();
    await cairn.subscriptions.upsert(webhook("other", other));
    let isMended = false;
    subscriber.answer = ({ data }) => (data.poison && !isMended ? 422 : 200);
    const [bad, good] = [
      await cairn.start(announce, { count: 4, poison: 1 }),
      await cairn.start(announce, { count: 4 }),
    ];
    await until(async () => subscriber.numbersOf(good.id).length === 4 && other.numbersOf(bad.id).length === 4);
    await until(async () => subscriber.numbersOf(bad.id).length === 3);
    expect(subscriber.numbersOf(bad.id)).toEqual([0, 2, 3]);
    const attempts = subscriber.received.filter(({ event }) => event.data.poison);
    expect(attempts).toHaveLength(3);
    expect(new Set(attempts.map(({ event }) => event.id)).size).toBe(1);
    const [letter] = await cairn.outbox.list({ state: "dead" });
    expect(await cairn.outbox.show(letter!.id)).toMatchObject({
      runId: bad.id,
      state: "dead",
      publishedAt: null,
      data: { number: 1, poison: true },
      deliveries: [
        {
          subscription: "shop",
          state: "dead",
          attempts: 3,
          lastError: expect.stringMatching(/hook answered 422 Unprocessable Entity$/),
        },
      ],
    });
    isMended = true;
    expect(await cairn.outbox.redrive({ subscription: "shop" })).toBe(1);
    await until(async () => subscriber.numbersOf(bad.id).includes(1));
    await untilPublished(bed);
    expect(await cairn.outbox.redrive({ all: true })).toBe(0);
  });

  it("that answers 410 is paused, and has what was written meanwhile when it is resumed", async () => {
    const warnings: string[] = [];
    const { bed, cairn, subscriber } = await opened({
      onWarning: (message, error) => void warnings.push(`${message}: ${(error as Error).message}`),
    });
    await cairn.subscriptions.upsert(webhook("shop", subscriber));
    subscriber.answer = () => 410;
    const run = await cairn.start(announce, { count: 5 });
    await run.result();
    const paused = await until(async () => {
      const status = await cairn.subscriptions.show("shop");
      return status.status === "paused" && status.waiting === 5 && status;
    });
    expect(paused.pausedReason).toMatch(/answered 410 Gone$/);
    expect(subscriber.received).toHaveLength(1);
    expect(warnings.filter((line) => line.includes("was paused"))).toHaveLength(1);
    subscriber.answer = () => 200;
    await cairn.subscriptions.resume("shop");
    await subscriber.untilTaken(5);
    expect(subscriber.numbersOf(run.id)).toEqual(numbers(5));
    await untilPublished(bed);
  });

  it("that cannot be reached is told of in one line, once", async () => {
    const warnings: string[] = [];
    const { cairn, subscriber } = await opened({
      onWarning: (message, error) => void warnings.push(`${message}: ${(error as Error).message}`),
    });
    await subscriber.stop();
    await cairn.subscriptions.upsert(webhook("shop", subscriber));
    await Promise.all(numbers(5).map(async () => (await cairn.start(announce, { count: 3 })).result()));
    const failing = await until(async () => {
      const status = await cairn.subscriptions.show("shop");
      return status.failingSince !== null && status.waiting === 15 && status;
    });
    expect(failing.lastError).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/hook cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
    );
    expect(failing.dead).toBe(0);
    expect(warnings).toEqual([
      expect.stringMatching(/^Events for the subscription shop of default wait: http:.*ECONNREFUSED/),
    ]);
    expect(await cairn.subscriptions.test("shop")).toMatchObject({ taken: false, error: failing.lastError });
  });

  it("that is deleted leaves nothing behind", async () => {
    const { bed, cairn, subscriber } = await opened();
    await cairn.subscriptions.upsert(webhook("shop", subscriber));
    await cairn.subscriptions.pause("shop");
    await (await cairn.start(announceAll, 250)).result();
    await until(async () => (await cairn.subscriptions.show("shop")).waiting === 250);
    await cairn.subscriptions.delete("shop");
    await untilPublished(bed);
    expect(await bed.query("SELECT FROM cairn.outbox_backlog")).toEqual([]);
    await expect(cairn.subscriptions.show("shop")).rejects.toMatchObject({ code: "NotFound" });
  });
});
