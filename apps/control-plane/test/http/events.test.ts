import { expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { until } from "../support/test-engine.ts";
import { writeEvents } from "../support/test-outbox.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { testSubscriber } from "../support/test-subscriber.ts";

type Refusal = readonly [method: string, path: string, body: unknown, status: number, code: string, detail: string];

async function expectRefusals(rest: RestBed, refusals: readonly Refusal[]): Promise<void> {
  for (const [method, path, body, status, code, detail] of refusals) {
    const answer = await rest.ask(method, path, body);
    expect(answer, `${method} ${path}`).toMatchObject({ status, body: { code } });
    expect(answer.body["detail"]).toContain(detail);
  }
}

it("subscriptions are made, looked at, tested, paused, resumed and deleted; dead letters listed, redriven and discarded", async () => {
  const rest = await openRest();
  const subscriber = await testSubscriber();
  const target = { kind: "webhook", url: `${subscriber.url}/hooks` };
  const made = await rest.ask("PUT", "/subscriptions/a%20shop", { types: ["order.*"], target, maxAttempts: 1 });
  expect(made).toMatchObject({
    status: 200,
    body: { name: "a shop", types: ["order.*"], target, maxAttempts: 1, timeoutMs: 10_000, status: "active", dead: 0 },
  });
  expect(await rest.ask("GET", "/subscriptions/a%20shop")).toEqual({ ...made, body: made.body });
  expect(await rest.ask("POST", "/subscriptions/a%20shop/test")).toMatchObject({
    status: 200,
    body: { taken: true, error: null, tookMs: expect.any(Number) },
  });
  expect(subscriber.taken()).toMatchObject([{ type: "cairn.test.v1" }]);

  subscriber.answer = () => 400;
  const [first, second] = [newRunId(Date.now()), newRunId(Date.now())];
  await writeEvents(rest.bed, first, [1]);
  await writeEvents(rest.bed, second, [2]);
  await until(async () => (await rest.ask("GET", "/outbox/stats")).body["dead"] === 2);
  const stats = (await rest.ask("GET", "/outbox/stats")).body;
  expect(stats).toMatchObject({ pending: 0, oldestPendingAt: null, waiting: 0, dispatchers: [{ shards: 16 }] });
  type Page = { readonly items: readonly Readonly<Record<string, unknown>>[]; readonly next: string | null };
  const list = async (query: string): Promise<Page> => (await rest.ask("GET", `/outbox?${query}`)).body as never;
  const newest = await list("state=dead&limit=1");
  expect(newest).toMatchObject({ items: [{ runId: second, type: "order.paid.v1", state: "dead" }] });
  const oldest = await list(`state=dead&subscription=a%20shop&cursor=${String(newest.next)}`);
  expect(oldest).toMatchObject({ items: [{ runId: first, publishedAt: null }], next: null });
  expect((await list(`runId=${second}&type=order.paid.v1`)).items).toEqual(newest.items);
  expect((await list("cursor=0")).items).toEqual([]);
  const id = newest.items[0]!["id"] as number;
  expect(await rest.ask("GET", `/outbox/${id}`)).toMatchObject({
    status: 200,
    body: {
      data: { number: 2 },
      deliveries: [{ subscription: "a shop", state: "dead", attempts: 1, lastError: expect.stringContaining("400") }],
    },
  });
  expect(await rest.ask("POST", "/outbox/discard?namespace=other", { all: true })).toMatchObject({
    body: { count: 0 },
  });
  subscriber.answer = () => 204;
  expect(await rest.ask("POST", "/outbox/redrive", { id })).toMatchObject({ status: 200, body: { count: 1 } });
  await until(async () => (await rest.ask("GET", `/outbox/${id}`)).body["state"] === "published");
  expect(await rest.ask("POST", "/outbox/discard", { all: true })).toMatchObject({ body: { count: 1 } });
  expect((await list("state=dead")).items).toEqual([]);

  const paused = await rest.ask("POST", "/subscriptions/a%20shop/pause", { reason: "moving" });
  expect(paused).toMatchObject({ status: 200, body: { status: "paused", pausedReason: "moving" } });
  expect((await rest.ask("POST", "/subscriptions/a%20shop/resume")).body).toMatchObject({ status: "active" });
  await subscriber.stop();
  const away = await rest.ask("POST", "/subscriptions/a%20shop/test");
  expect(away.body).toMatchObject({
    taken: false,
    error: expect.stringMatching(/^http:.* cannot be reached: [^\n]+$/),
  });
  const nats = { kind: "nats", url: "127.0.0.1:1", subject: "shop" };
  await rest.ask("PUT", "/subscriptions/b", { types: ["*"], target: nats });
  const noNats = await rest.ask("POST", "/subscriptions/b/test");
  expect(noNats.body).toMatchObject({
    taken: false,
    error: expect.stringMatching(/^NATS on 127.0.0.1:1 is away: [^\n]+$/),
  });
  const page = (await rest.ask("GET", "/subscriptions?limit=1")).body;
  expect(page).toMatchObject({ items: [{ name: "a shop" }], next: expect.any(String) });
  expect(await rest.ask("DELETE", "/subscriptions/b")).toMatchObject({ status: 200, body: { name: "b" } });
  expect((await rest.ask("GET", "/subscriptions?namespace=other")).body).toEqual({ items: [], next: null });

  await expectRefusals(rest, [
    ["PUT", "/subscriptions/x", { types: ["a**"], target }, 400, "InvalidMessage", "types.0: is a type such as"],
    ["PUT", "/subscriptions/x", { types: ["a"], target: { kind: "fax" } }, 400, "InvalidMessage", "target"],
    ["PUT", "/subscriptions/x", { types: ["a"], target: { ...target, url: "x" } }, 400, "InvalidMessage", "an address"],
    ["PUT", "/subscriptions/x", { name: "x", types: ["a"], target }, 400, "InvalidMessage", "name"],
    [
      "PUT",
      "/subscriptions/x",
      { types: ["a"], target, backoffMs: 9, backoffMaxMs: 1 },
      400,
      "InvalidOption",
      "backoffMaxMs (1) is at least",
    ],
    ["GET", "/subscriptions/x", undefined, 404, "NotFound", 'There is no subscription "x" in default'],
    ["DELETE", "/subscriptions/x", undefined, 404, "NotFound", "There is no subscription"],
    ["POST", "/subscriptions/x/test", undefined, 404, "NotFound", "There is no subscription"],
    ["POST", "/subscriptions/x/pause", undefined, 404, "NotFound", "There is no subscription"],
    ["POST", "/subscriptions/x/resume", undefined, 404, "NotFound", "There is no subscription"],
    ["GET", "/subscriptions/a%20shop?namespace=other", undefined, 404, "NotFound", "in other"],
    ["GET", `/outbox/${id}?namespace=other`, undefined, 404, "NotFound", `There is no event ${id}`],
    ["GET", "/outbox/x", undefined, 404, "NotFound", "There is no event x"],
    ["GET", "/outbox?state=lost", undefined, 400, "InvalidMessage", "state"],
    ["GET", "/outbox?cursor=x", undefined, 400, "InvalidMessage", "The cursor is not one"],
    ["POST", "/outbox/redrive", {}, 400, "InvalidMessage", "names an id, a subscription"],
    ["POST", "/outbox/discard", { id: 0 }, 400, "InvalidMessage", "id"],
  ]);
  expect(rest.warnings.filter((warning) => !warning.startsWith("Events for the subscription"))).toEqual([]);
});

it("whoever has the token of one namespace names no secrets and files of the control plane", async () => {
  const rest = await openRest({ token: "all", tokens: [{ token: "all" }, { token: "one", namespace: "default" }] });
  const bound = { authorization: "Bearer one" };
  const webhook = { kind: "webhook", url: "http://127.0.0.1:1/" };
  const targets = [
    { ...webhook, secrets: [{ env: "DATABASE_URL" }] },
    { kind: "nats", url: "127.0.0.1:1", subject: "x", token: { file: "/etc/passwd" } },
    { kind: "nats", url: "127.0.0.1:1", subject: "x", credentials: { env: "HOME" } },
    { kind: "file", path: "/tmp/x" },
  ];
  for (const target of targets) {
    const refused = await rest.ask("PUT", "/subscriptions/x", { types: ["a"], target }, bound);
    expect(refused).toMatchObject({ status: 403, body: { code: "WrongNamespace" } });
    // Whoever is for all of them is told that this process gives nothing away.
    expect(await rest.ask("PUT", "/subscriptions/x", { types: ["a"], target })).toMatchObject({ status: 400 });
  }
  expect(await rest.ask("PUT", "/subscriptions/x", { types: ["a"], target: webhook }, bound)).toMatchObject({
    status: 200,
  });
  expect(await rest.ask("GET", "/outbox?namespace=other", undefined, bound)).toMatchObject({ status: 403 });
});
