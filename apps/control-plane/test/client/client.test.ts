import {
  CairnError,
  type CairnClient,
  createClient,
  RunHandle,
  type Sealed,
  sealed,
  SealedUnread,
} from "cairnjs/client";
import { RunCancelled } from "cairnjs";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { RunHandle as LocalHandle, RunInput, RunStatus as LocalStatus, RunStep } from "../../src/index.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testKeyOf } from "../support/test-keys.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { testBed, until } from "../support/test-engine.ts";
import { approval, approving, dated, held, Money, quote, refusing, same, steps } from "../workflows/clients.ts";

async function openClient(): Promise<{ readonly rest: RestBed; readonly client: CairnClient }> {
  const rest = await openRest();
  return { rest, client: createClient({ url: `http://127.0.0.1:${rest.plane.httpPort}` }) };
}

/** REST does not say which schedule has started a run. */
function omit({ schedule: _schedule, scheduledFor: _scheduledFor, ...status }: LocalStatus): Partial<LocalStatus> {
  return status;
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("the client", () => {
  it("starts workflows, actions and names, and gets back what they return, as what it was", async () => {
    const { client } = await openClient();
    const shared = { when: new Date(5) };
    const value = {
      ...{ map: new Map([["a", 1n]]), set: new Set([-0]), bytes: new Uint8Array([1, 2]), nothing: undefined },
      ...{
        one: shared,
        two: shared,
        url: new URL("https://a.b/c"),
        text: "\0\ud800 \u2028 ü",
        NaN,
        money: new Money(5),
      },
      error: new TypeError("wrong", { cause: new Error("why") }),
      ["__proto__"]: { $dollar: 1 },
    };
    const run = await client.start(same, value);
    const result = (await run.result()) as typeof value;
    expect(result).toEqual(value);
    expect(result.one).toBe(result.two);
    expect(result.money).toBeInstanceOf(Money);
    expect(result.error).toBeInstanceOf(TypeError);
    expect((await run.show()).payload).toEqual(value);
    const cents: number = await (await client.start(quote, { cents: 4 })).result();
    expect(cents).toBe(8);
    expect(await (await client.start<typeof steps>("clients.steps.v1", 4)).result()).toBe(10);
    expect(await (await client.start<number, number>("clients.steps.v1", 3)).result()).toBe(6);
    expect(await client.run((await client.start("clients.same.v1")).id).result()).toBe(undefined);
  });

  it("gives the body what the workflow's own schema makes of an input, and says what is wrong, with code and status", async () => {
    const { client } = await openClient();
    const run = await client.start(dated, { at: "2026-01-02T00:00:00Z" });
    expect(await run.result()).toBe(Date.UTC(2026, 0, 2));
    const wrong = { at: 5 } as unknown as { at: string };
    await expect(client.start(dated, wrong)).rejects.toMatchObject({ name: "InvalidInput" });
    await expect(client.start("clients.dated.v1", wrong)).rejects.toMatchObject({ code: "InvalidInput", status: 400 });
    const error: unknown = await client.start("nobody.knows.v1").catch((each: unknown) => each);
    expect(error).toBeInstanceOf(CairnError);
    expect(error).toMatchObject({ code: "UnknownType", name: "CairnError" });
    await expect(client.run("x").status()).rejects.toMatchObject({ code: "NotFound", status: 404 });
    await expect(client.start(same, () => {})).rejects.toMatchObject({ name: "NotStorable", path: "input" });
    await expect(client.start({} as string)).rejects.toThrow("takes a workflow, an action, or the name");
    expect(client.run("x")).toBeInstanceOf(RunHandle);
  });

  it("rejects with the error of the run, which has its class, its cause and the places in the source", async () => {
    const { client } = await openClient();
    const failure: unknown = await (await client.start(refusing, "tea")).result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RangeError);
    expect(failure).toMatchObject({ message: "no tea", cause: new Map([["text", "tea"]]) });
    expect((failure as Error).stack).toContain("clients.ts:");
    const waiting = await client.start(approving, 1);
    await waiting.cancel("enough");
    await expect(waiting.result()).rejects.toBeInstanceOf(RunCancelled);
    await waiting.delete();
    await expect(waiting.result()).rejects.toMatchObject({ name: "CairnError", code: "RunDeleted" });
  });

  it("signals, pauses, resumes, retries, rolls back and forks, and shows steps and inputs", async () => {
    const { client } = await openClient();
    const run = await client.start(approving, 2, { tags: ["blue"], priority: 5 });
    await run.signal(approval, { by: "ada", at: new Date(1) });
    await until(async () => (await run.history()).length === 2);
    await run.pause();
    await until(async () => (await run.status()).phase === "paused");
    await run.resume();
    await run.signal("clients.approval", { by: "bob" });
    expect(await run.result()).toEqual(["ada", "bob"]);
    const status = await run.status();
    expect(status).toMatchObject({ status: "succeeded", phase: null, tags: ["blue"], priority: 5 });
    expect(status.createdAt).toBeInstanceOf(Date);
    expect(await run.steps()).toMatchObject([
      { kind: "signal", result: { by: "ada", at: new Date(1) }, startedAt: expect.any(Date) as Date },
      { kind: "signal", result: { by: "bob" } },
    ]);
    expect(await run.history()).toMatchObject([{ kind: "start" }, { kind: "signal", name: "clients.approval" }, {}]);
    expect(await run.stateAt(2)).toMatchObject({
      ...{ number: 2, at: expect.any(Date) as Date, open: [{ kind: "signal", name: "clients.approval" }] },
      frames: [{ variables: { names: ["ada"] } }],
    });
    await run.delete("by mistake");
    await expect(run.result()).rejects.toMatchObject({ code: "RunDeleted" });
    await run.restore();
    const fork = await run.fork(2);
    await fork.signal(approval, { by: "cleo", at: new Date(1) });
    expect(await fork.result()).toEqual(["ada", "cleo"]);
    await run.rollback(2);
    expect(await run.result()).toEqual(["ada", "bob"]);
    const failed = await client.start(refusing, "tea");
    await expect(failed.result()).rejects.toThrow("no tea");
    await failed.retry();
    await until(async () => (await failed.status()).status === "failed");
    await expect(run.retry()).rejects.toMatchObject({ code: "WrongStatus", status: 409 });
  });

  it("makes addresses that send a signal, and waits as long as it is told, and no longer", async () => {
    const { client } = await openClient();
    const run = await client.start(approving, 1);
    const { url, expiresAt } = await run.waitToken(approval, {
      value: { by: "ada", at: new Date(5) },
      expiresIn: "1 h",
    });
    expect(Math.abs(expiresAt.getTime() - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect((await fetch(url, { method: "POST" })).status).toBe(202);
    expect(await run.result()).toEqual(["ada"]);
    const waited = await client.start(approving, 1);
    await expect(waited.result({ timeout: 50 })).rejects.toMatchObject({ code: "WaitTimeout" });
    const controller = new AbortController();
    const waiting = waited.result({ signal: controller.signal });
    const reason = new Error("no more");
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(waited.result({ signal: controller.signal })).rejects.toBe(reason);
  });

  it("lists runs page by page, and only as far as someone wants", async () => {
    const { client } = await openClient();
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) ids.unshift((await client.start(approving, 1, { tags: ["list"] })).id);
    const listed = await collected(client.runs({ type: "clients.approving.v1", status: ["pending", "leased"] }));
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(await collected(client.runs({ tag: "list", limit: 2, until: new Date("2100-01-01") }))).toHaveLength(2);
    const oldest = client.runs({ type: ["clients.app*", "x.y.v1"], tag: ["list"], contains: 1, sort: "createdAt" });
    expect((await collected(oldest)).map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await collected(client.runs({ search: "nowhere" }))).toEqual([]);
    for await (const { id } of client.runs()) {
      expect(id).toBe(ids[0]);
      break;
    }
    const workers = await collected(client.list<{ id: string }>("/workers"));
    expect(workers).toHaveLength(1);
    const shown = await client.request<{ current: string }>("POST", "/workflows/clients.same.v1/promote", {
      body: {
        version: (await collected(client.list<{ version: string }>("/workflows/clients.same.v1/versions")))[0]!.version,
      },
    });
    expect(shown.current).toEqual(expect.any(String));
  });

  it("says who asks, and is told what he may not", async () => {
    const rest = await openRest({ tokens: [{ token: "boss" }], token: "boss" });
    const url = `http://127.0.0.1:${rest.plane.httpPort}`;
    const { key } = await testKeyOf(rest.bed, ["read"], { namespace: "default" });
    const run = await createClient({ url, key: () => Promise.resolve("boss") }).start(steps, 2);
    const reader = createClient({ url, key });
    expect(await reader.run<typeof steps>(run.id).result()).toBe(3);
    await expect(reader.start(steps, 2)).rejects.toMatchObject({ code: "Forbidden", status: 403 });
    await expect(createClient({ url, key, namespace: "other" }).run(run.id).status()).rejects.toMatchObject({
      status: 403,
    });
    await expect(createClient({ url, key: "boss", namespace: "other" }).run(run.id).status()).rejects.toMatchObject({
      status: 404,
    });
    await expect(createClient({ url }).run(run.id).status()).rejects.toMatchObject({
      code: "Unauthenticated",
      status: 401,
    });
  });

  it("seals what nobody else may read, and opens it", async () => {
    const { rest, client } = await openClient();
    const mirror = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0x55);
    const codec = { encode: async (bytes: Uint8Array) => mirror(bytes), decode: mirror };
    const own = createClient({ url: `http://127.0.0.1:${rest.plane.httpPort}`, codec });
    const run = await own.start(held, { name: sealed("Ada Lovelace"), open: 5 });
    await run.signal("clients.held", sealed({ city: "London" }));
    const { name, city } = (await run.result()) as { name: Sealed<string>; city: Sealed<{ city: string }> };
    expect([name.value, city.value]).toEqual(["Ada Lovelace", { city: "London" }]);
    expect((await run.show()).payload).toMatchObject({ open: 5 });
    const other = (await client.run(run.id).result()) as { name: Sealed<string> };
    expect(() => other.name.value).toThrow("not opened here");
    await expect(client.start(held, { name: sealed("x"), open: 1 })).rejects.toThrow(SealedUnread);
    const rows = JSON.stringify([
      await rest.bed.query("SELECT payload, result FROM cairn.runs"),
      await rest.bed.query("SELECT value FROM cairn.history"),
    ]);
    expect(rows).toContain("cairn.sealed");
    expect(rows).not.toMatch(/Ada|London/);
  });

  it("has handles that can be used as those of library mode", async () => {
    type Names = "result" | "stream" | "signal" | "cancel" | "pause" | "resume" | "delete" | "retry" | "rollback";
    expectTypeOf<RunHandle<string>>().toExtend<Pick<LocalHandle<string>, Names | "id">>();
    expectTypeOf<Awaited<ReturnType<RunHandle["history"]>>>().toExtend<readonly RunInput[]>();
    expectTypeOf<Awaited<ReturnType<RunHandle["steps"]>>>().toExtend<readonly RunStep[]>();
    const bed = await testBed();
    const cairn = await bed.open();
    const plane = await openPlane(bed, { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } });
    const local = await cairn.start(steps, 2);
    const distant = createClient({ url: `http://127.0.0.1:${plane.httpPort}` }).run<typeof steps>(local.id);
    expect(await distant.result()).toBe(await local.result());
    expect(await distant.history()).toEqual(await local.history());
    const attempts = (each: RunStep) =>
      each.attempts.map(({ attempt, outcome, startedAt }) => ({ attempt, outcome, startedAt }));
    const ofSteps = (all: readonly RunStep[]) => all.map((each) => ({ ...each, attempts: attempts(each) }));
    expect(ofSteps(await distant.steps())).toEqual(ofSteps(await local.steps()));
    expect(await distant.status()).toMatchObject(omit(await local.status()));
  });
});
