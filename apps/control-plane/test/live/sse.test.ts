import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { until } from "../support/test-engine.ts";
import { watch } from "../support/test-live.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

function address(rest: RestBed, path: string): string {
  return `http://127.0.0.1:${rest.plane.httpPort}/v1${path}`;
}

describe("the stream of a run", () => {
  it("has its events and steps from the beginning, and ends with it", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 2 });
    const watcher = await watch(address(rest, `/runs/${id}/stream`));
    await watcher.ended;
    expect(watcher.said.at(-1)).toMatchObject({ event: "end" });
    const events = watcher.said.slice(0, -1).map(({ data }) => data);
    const steps = events.filter(({ kind }) => kind === "step");
    expect(steps).toMatchObject([
      { runId: id, type: sums.name, data: { number: 1, kind: "start", call: null } },
      { data: { number: 2, kind: "result", name: "add" } },
      { data: { number: 3, kind: "result", name: "add" } },
    ]);
    const listed = (await rest.ask("GET", `/runs/${id}/events`)).body["items"] as { kind: string }[];
    const others = events.filter(({ kind }) => kind !== "step");
    expect(others.map(({ kind }) => kind)).toEqual(listed.map(({ kind }) => kind));
    expect(others.at(-1)).toMatchObject({ kind: "succeeded" });
    expect(rest.warnings).toEqual([]);
  });

  it("goes on after any of its cursors with exactly what comes behind, by header or query", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 3 });
    await rest.result(id);
    const all = await watch(address(rest, `/runs/${id}/stream`));
    await all.ended;
    const texts = all.said.map(({ data }) => JSON.stringify({ ...data, cursor: null }));
    for (const [index, { id: cursor }] of all.said.slice(0, -1).entries()) {
      const byHeader = await watch(address(rest, `/runs/${id}/stream`), { "last-event-id": cursor! });
      const byQuery = await watch(address(rest, `/runs/${id}/stream?after=${cursor}`));
      for (const again of [byHeader, byQuery]) {
        await again.ended;
        expect(
          again.said.map(({ data }) => JSON.stringify({ ...data, cursor: null })),
          cursor!,
        ).toEqual(texts.slice(index + 1));
      }
    }
  });

  it.each(["stream", "chunks"])(
    "says to a browser that has seen the end of its %s, and comes back, that it need not come again",
    async (name) => {
      const rest = await openRest();
      const [id, lives] = [await rest.start(sums.name, { n: 1 }), await rest.start(approved.name)];
      const watcher = await watch(address(rest, `/runs/${id}/${name}`));
      await watcher.ended;
      const last = watcher.said.at(-1)!;
      expect(last).toMatchObject({ event: "end" });
      const again = await fetch(address(rest, `/runs/${id}/${name}`), { headers: { "last-event-id": last.id! } });
      expect([again.status, await again.text()]).toEqual([204, ""]);
      // As of one that has ended, and was taken back to an earlier point.
      const left = new AbortController();
      const options = { headers: { "last-event-id": "-end" }, signal: left.signal };
      const ofLiving = await fetch(address(rest, `/runs/${lives}/${name}`), options);
      expect(ofLiving.status).toBe(200);
      left.abort();
    },
  );

  it("is there for no run that is not, is of another namespace, or by no cursor", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 1 });
    expect(await rest.ask("GET", `/runs/${newRunId(Date.now())}/stream`)).toMatchObject({ status: 404 });
    expect(await rest.ask("GET", `/runs/${id}/stream?namespace=other`)).toMatchObject({ status: 404 });
    expect(await rest.ask("GET", `/runs/${id}/stream?after=x`)).toMatchObject({ status: 400 });
    expect(await rest.ask("GET", `/events/stream?after=1-2`)).toMatchObject({ status: 400 });
    expect(await rest.ask("GET", `/events/stream?kind=nothing`)).toMatchObject({ status: 400 });
    expect(await rest.ask("GET", `/runs/${id}/chunks?after=x`)).toMatchObject({ status: 400 });
    const ahead = await watch(address(rest, `/runs/${id}/stream?after=999999-1`));
    await ahead.ended;
    expect(ahead.said).toMatchObject([{ event: "dropped", data: { reason: "unknown cursor" } }]);
    const farAhead = await watch(address(rest, "/events/stream?after=999999"));
    await farAhead.ended;
    expect(farAhead.said).toMatchObject([{ event: "dropped", data: { reason: "unknown cursor" } }]);
  });
});

describe("the stream of everything", () => {
  it("has what happens from now on, by type, kind, tag and namespace", async () => {
    const rest = await openRest();
    const early = await rest.start(sums.name, { n: 1 });
    await rest.result(early);
    const all = await watch(address(rest, "/events/stream"));
    const ofType = await watch(address(rest, `/events/stream?type=${approved.name}`));
    const beginning = await watch(address(rest, "/events/stream?type=test.su*&kind=created,succeeded"));
    const tagged = await watch(address(rest, "/events/stream?tag=blue"));
    const elsewhere = await watch(address(rest, "/events/stream?namespace=other"));
    const sum = await rest.start(sums.name, { n: 1 });
    await rest.result(sum);
    const waits = await rest.start(approved.name, undefined, { tags: ["blue"] });
    await all.until(({ data }) => data["runId"] === waits);
    expect(all.said.some(({ data }) => data["runId"] === early)).toBe(false);
    await ofType.until(({ data }) => data["kind"] === "created");
    await tagged.until(({ data }) => data["kind"] === "created");
    await beginning.until(({ data }) => data["kind"] === "succeeded");
    expect(beginning.said.map(({ data }) => [data["runId"], data["kind"]])).toEqual([
      [sum, "created"],
      [sum, "succeeded"],
    ]);
    expect(new Set(ofType.said.map(({ data }) => data["runId"]))).toEqual(new Set([waits]));
    expect(new Set(tagged.said.map(({ data }) => data["runId"]))).toEqual(new Set([waits]));
    expect(elsewhere.said).toEqual([]);
    // Events of one run are in the order in which they are listed, and ids grow.
    const ids = all.said.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it("says that it lives, and where it is, to whom nothing concerns", async () => {
    const rest = await openRest({ live: { heartbeatMs: 20 } });
    const quiet = await watch(address(rest, "/events/stream?type=nothing"));
    const before = quiet.lastId!;
    const id = await rest.start(sums.name, { n: 1 });
    await rest.result(id);
    await until(async () => Number(quiet.lastId) > Number(before));
    expect(quiet.beats).toBeGreaterThan(1);
    expect(quiet.said).toEqual([]);
  });
});

describe("those who watch", () => {
  it("are so many at most, and of one caller", async () => {
    const rest = await openRest({ live: { clientsMax: 3, clientsPerCallerMax: 2 } });
    const first = await watch(address(rest, "/events/stream"));
    await watch(address(rest, "/events/stream"));
    const { status, body } = await rest.ask("GET", "/events/stream");
    expect({ status, body }).toMatchObject({ status: 429, body: { code: "RateLimited" } });
    first.close();
    const again = await until(async () => {
      const another = await watch(address(rest, "/events/stream"));
      return another.status === 200 && another;
    });
    expect(again.status).toBe(200);
  });

  it("are told when the control plane ends", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    const paths = ["/events/stream", `/runs/${id}/stream`, `/runs/${id}/chunks`];
    const watchers = await Promise.all(paths.map((path) => watch(address(rest, path))));
    const closed = rest.plane.close();
    for (const [index, watcher] of watchers.entries()) {
      await watcher.ended;
      expect(watcher.said.at(-1)).toMatchObject({ event: "dropped", data: { reason: "closing" } });
      // Nobody is let in who would have to be told so again.
      const back = await watch(address(rest, paths[index]!)).catch(() => null);
      expect(back?.status ?? 503).toBe(503);
    }
    await closed;
    expect(rest.warnings).toEqual([]);
  });
});
