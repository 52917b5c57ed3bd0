import { expect, it } from "vitest";
import { searched, Searches } from "../../src/http/searches.ts";
import { ANY_RUN } from "../../src/store/run-filter.ts";
import { openRest } from "../support/test-rest.ts";

it("of reads that go through much, two are done at one time, and the others after them, whatever becomes of those", async () => {
  const searches = new Searches();
  let [now, most] = [0, 0];
  const read = async (place: number): Promise<number> => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    now -= 1;
    if (place % 3 === 0) throw new Error(`number ${place}`);
    return place;
  };
  const who = (place: number) => ({ caller: `${place % 4}`, tenant: "default" });
  const all = await Promise.allSettled(
    Array.from({ length: 9 }, (_, place) => searches.take(who(place), () => read(place))),
  );
  expect(all.map(({ status }) => status)).toEqual(
    Array.from({ length: 9 }, (_, place) => (place % 3 === 0 ? "rejected" : "fulfilled")),
  );
  expect([now, most]).toEqual([0, 2]);
});

it("who asks much waits for himself: another, and another namespace, comes after what is under way", async () => {
  const searches = new Searches();
  const order: string[] = [];
  const read = (caller: string, namespace: string) =>
    searches.take({ caller, tenant: namespace }, async () => {
      order.push(`${caller} ${namespace}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    });
  await Promise.all([
    ...Array.from({ length: 6 }, () => read("much", "a")),
    ...Array.from({ length: 2 }, () => read("much", "b")),
    ...Array.from({ length: 3 }, () => read("few", "a")),
  ]);
  // One place is never that of the first: the other three are done beside his.
  expect(order.slice(0, 2)).toEqual(["much a", "few a"]);
  expect(order.slice(0, 6).filter((who) => who === "few a")).toHaveLength(3);
  // Of his own, those in the namespace with fewer are not behind the others.
  expect(order.filter((who) => who.startsWith("much")).slice(0, 4)).toContain("much a");
  expect(order.filter((who) => who.startsWith("much")).lastIndexOf("much b")).toBeLessThan(4);
  expect(order).toHaveLength(11);
});

it("only who looks into values searches: other lists are answered while all places are taken", async () => {
  const searches = new Searches();
  let end = (): void => {};
  const over = new Promise<void>((resolve) => (end = resolve));
  const who = { caller: "me", tenant: "default" };
  const taken = ["one", "two"].map((caller) => searches.take({ ...who, caller }, () => over));
  const time = new Date();
  const lists = [{ tags: ["x"] }, { since: time }, { until: time }, { schedule: "daily" }, { types: ["a.*"] }];
  for (const filter of lists)
    expect(await searched({ searches }, who, { ...ANY_RUN, ...filter }, async () => "found")).toBe("found");
  let isFound = false;
  const looks = [{ contains: "1" }, { search: "x" }].map((filter) =>
    searched({ searches }, who, { ...ANY_RUN, ...filter }, async () => (isFound = true)),
  );
  await Promise.resolve();
  expect(isFound).toBe(false);
  end();
  expect(await Promise.all([...taken, ...looks])).toEqual([undefined, undefined, true, true]);
});

it(
  "dry runs of many at one time, by clients who stay and who leave, take REST from no one",
  { timeout: 60_000 },
  async () => {
    const rest = await openRest();
    await rest.bed.query(
      `INSERT INTO cairn.runs (id, namespace, type, version, status, payload, run_at, created_at, ended_at)
    SELECT cairn.id_from_time(cairn.now() - interval '5 h' + n * interval '1 ms'), 'default', 'many.' || n % 40 || '.v1', 'v',
      'succeeded', '{"n":1}', cairn.now(), cairn.now() - interval '5 h', cairn.now() FROM generate_series(1, 40000) AS n`,
    );
    await rest.bed.query("VACUUM (ANALYZE) cairn.runs");
    const dry = { action: "delete", filter: { search: "nothing of the kind" }, dryRun: true };
    const leaving = new AbortController();
    const url = `http://127.0.0.1:${rest.plane.httpPort}/v1/runs/bulk`;
    const left = Array.from({ length: 20 }, () =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(dry),
        signal: leaving.signal,
      }).catch(() => null),
    );
    const staying = Array.from({ length: 8 }, () => rest.ask("POST", "/runs/bulk", dry));
    let worst = 0;
    for (let times = 0; times < 20; times++) {
      const before = performance.now();
      expect((await rest.ask("GET", "/runs?limit=5")).status).toBe(200);
      worst = Math.max(worst, performance.now() - before);
      if (times === 5) leaving.abort();
    }
    await Promise.all(left);
    const statuses = (await Promise.all(staying)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    // Others may be at work beside it.
    expect(worst).toBeLessThan(3_000);
    const all = await rest.ask("POST", "/runs/bulk", { ...dry, filter: { type: "many.*" } });
    expect(all.body).toMatchObject({ matched: expect.any(Number), sample: { length: 10 } });
    expect(all.body["next"] === null ? all.body["matched"] : 40_000).toBe(40_000);
    expect(rest.warnings).toEqual([]);
  },
);
