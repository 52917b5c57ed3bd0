import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { testKeyOf } from "../support/test-keys.ts";
import { until } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

const TOKEN = "a-token-of-a-test-that-is-long-enough";

describe("waiting for many runs over REST", () => {
  it("tells at once which have ended or are not there, each as it was asked for, and nothing of others", async () => {
    const rest = await openRest({ tokens: [{ token: TOKEN }], token: TOKEN });
    const [ended, living, deleted] = [
      await rest.start(sums.name, { n: 1 }),
      await rest.start(approved.name),
      await rest.start(approved.name),
    ];
    await rest.result(ended);
    await rest.ask("DELETE", `/runs/${deleted}`);
    const nowhere = newRunId(Date.now());
    const upper = ended.toUpperCase();
    const ids = [living, ended, upper, ended, nowhere, deleted, "none"];
    const body = { ids, waitMs: 30_000 };
    expect(await rest.ask("POST", "/runs/wait", body)).toMatchObject({
      status: 200,
      body: {
        items: [
          { id: ended, status: "succeeded" },
          { id: upper, status: "succeeded" },
          { id: nowhere, status: "missing" },
          { id: deleted, status: "deleted" },
          { id: "none", status: "missing" },
        ],
      },
    });
    const { key } = await testKeyOf(rest.bed, ["read"], { namespace: "other", name: "stranger" });
    const asStranger = { authorization: `Bearer ${key}` };
    const strange = await rest.ask("POST", "/runs/wait", { ids: [living, ended], waitMs: 30_000 }, asStranger);
    expect(strange.body).toEqual({ items: [living, ended].map((id) => ({ id, status: "missing" })) });
    for (const wrong of [
      {},
      { ids: [] },
      { ids: [1] },
      { ids: [living], waitMs: 30_001 },
      { ids: Array(1_001).fill(living) },
    ])
      expect((await rest.ask("POST", "/runs/wait", wrong)).status, JSON.stringify(wrong).slice(0, 80)).toBe(400);
    // It changes nothing, so nothing is written down of it.
    const { body: audit } = await rest.ask("GET", "/audit");
    const actions = (audit["items"] as { readonly action: string }[]).map(({ action }) => action);
    expect(actions.filter((action) => action.includes("wait"))).toEqual([]);
  });

  it("is answered when the first of them ends or is deleted, or with none when the time is over", async () => {
    const rest = await openRest();
    const ids = await Promise.all(Array.from({ length: 4 }, () => rest.start(approved.name)));
    const asked = (waitMs?: number) =>
      rest.ask("POST", "/runs/wait", { ids, ...(waitMs === undefined ? {} : { waitMs }) });
    expect(await asked()).toMatchObject({ status: 200, body: { items: [] } });
    expect(await asked(50)).toMatchObject({ status: 200, body: { items: [] } });
    const first = asked(30_000);
    await rest.ask("POST", `/runs/${ids[2]}/cancel`);
    expect((await first).body).toEqual({ items: [{ id: ids.splice(2, 1)[0], status: "cancelled" }] });
    const second = asked(30_000);
    await rest.ask("DELETE", `/runs/${ids[0]}`);
    expect((await second).body).toEqual({ items: [{ id: ids.shift(), status: "deleted" }] });
    const closing = asked(30_000);
    await until(async () => (await rest.ask("GET", `/runs/${ids[0]}`)).body["phase"] === "waiting");
    await rest.plane.close();
    expect(await closing).toMatchObject({ status: 503, body: { code: "Closed" } });
  });

  it("ends with the key that asks, and so many are waited for by one caller, until he leaves", async () => {
    const rest = await openRest({ tokens: [{ token: TOKEN }], token: TOKEN });
    const runs = Array.from({ length: 1_000 }, () => ({ type: approved.name }));
    const started = (await rest.ask("POST", "/runs/batch", { runs })).body["items"] as { id: string }[];
    const ids = started.map((run) => run.id);
    const { key, id } = await testKeyOf(rest.bed, ["read"], { namespace: "default", name: "waiting" });
    const wait = (waitMs = 30_000, signal = new AbortController().signal): Promise<number> =>
      fetch(`http://127.0.0.1:${rest.plane.httpPort}/v1/runs/wait`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ ids, waitMs }),
        signal,
      }).then(
        ({ status }) => status,
        () => 0,
      );
    const gone = new AbortController();
    const held = [wait(30_000, gone.signal), ...Array.from({ length: 20 }, () => wait())];
    // The last one of those who came.
    expect(await Promise.race(held)).toBe(429);
    gone.abort();
    await until(async () => (await wait(1)) === 200);
    await rest.ask("DELETE", `/keys/${id}`);
    expect((await Promise.all(held)).toSorted()).toEqual([0, ...Array(19).fill(401), 429]);
  });
});
