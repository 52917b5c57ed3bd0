import { expect, it } from "vitest";
import { until } from "../support/test-engine.ts";
import { type Told, watch } from "../support/test-live.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { misplacedIn, placesOf } from "../support/told-order.ts";
import { approved, sums, undone } from "../workflows/basics.ts";

async function toldOf(rest: RestBed, id: string): Promise<Told[]> {
  const watcher = await watch(`http://127.0.0.1:${rest.plane.httpPort}/v1/runs/${id}/stream`);
  await watcher.ended;
  return watcher.said.slice(0, -1).map(({ data }) => data as unknown as Told);
}

/** Runs of which something was wanted, each in another way, and what is told of them but that they were leased. */
const ORDERED: Readonly<
  Record<string, { readonly run: (rest: RestBed) => Promise<string>; readonly told: readonly (string | number)[] }>
> = {
  "signals, some before it has begun": {
    run: async (rest) => {
      const id = await rest.start(approved.name);
      await Promise.all(["one", "two"].map((value) => signal(rest, id, value)));
      return id;
    },
    told: ["created", 1, "started", 2, "signalled", 3, "signalled", "succeeded"],
  },
  "a cancel": {
    run: async (rest) => {
      const id = await waiting(rest);
      await rest.ask("POST", `/runs/${id}/cancel`, { reason: "enough" });
      return id;
    },
    told: ["created", 1, "started", 2, "cancelling", "cancelled"],
  },
  "a cancel before it begins": {
    run: async (rest) => {
      const id = await rest.start(approved.name, undefined, { runAt: new Date(Date.now() + 3_600_000) });
      await rest.ask("POST", `/runs/${id}/cancel`, {});
      return id;
    },
    told: ["created", "cancelled"],
  },
  "its deadline": {
    run: async (rest) => rest.start(approved.name, undefined, { deadline: new Date(Date.now() + 1_000) }),
    told: ["created", 1, "started", 2, "cancelling", "failed"],
  },
  "a retry": {
    run: async (rest) => {
      const id = await rest.start(undone.name, "causes");
      await rest.result(id);
      await rest.ask("POST", `/runs/${id}/retry`);
      return id;
    },
    told: [
      ...["created", 1, "started", "compensation registered", 2, "compensation registered", 3, 4, "failed"],
      ...["retried", 5, "started", "compensation registered", 6, "compensation registered", 7, 8, "failed"],
    ],
  },
  "a rollback": {
    run: async (rest) => {
      const id = await rest.start(sums.name, { n: 2 });
      await rest.result(id);
      await rest.ask("POST", `/runs/${id}/rollback`, { to: 2 });
      return id;
    },
    told: [
      ...["created", 1, "started", 2, 3, "succeeded"],
      ...["revived", 4, "rolled back", "superseded", 5, "succeeded"],
    ],
  },
  "a fork": {
    run: async (rest) => {
      const id = await waiting(rest);
      const { body } = await rest.ask("POST", `/runs/${id}/fork`, { from: 1 });
      const fork = body["id"] as string;
      await Promise.all(["one", "two"].map((value) => signal(rest, fork, value)));
      return fork;
    },
    told: ["created", 2, "started", 3, "signalled", 4, "signalled", "succeeded"],
  },
};

async function waiting(rest: RestBed): Promise<string> {
  const id = await rest.start(approved.name);
  await until(async () => (await rest.ask("GET", `/runs/${id}`)).body["phase"] === "waiting");
  return id;
}

async function signal(rest: RestBed, id: string, value: string): Promise<void> {
  await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value });
}

it("an input stands before the events that it causes, in what is told of a run and in its timeline", async () => {
  const rest = await openRest();
  const all = Object.entries(ORDERED);
  const seen = await Promise.all(all.map(([, { run }]) => run(rest).then((id) => lookAt(rest, id))));
  const placed = seen.map(({ told, ...others }, index) => {
    const places = placesOf(told.filter(({ kind }) => kind !== "leased"));
    return { name: all[index]![0], places, misplaced: misplacedIn(told), ...others };
  });
  expect(placed).toEqual(
    all.map(([name, { told }], index) => {
      return { name, places: told, misplaced: [], timeline: placesOf(seen[index]!.told) };
    }),
  );
  expect(rest.warnings).toEqual([]);
});

async function lookAt(rest: RestBed, id: string): Promise<{ readonly told: Told[]; readonly timeline: unknown[] }> {
  await rest.result(id);
  const told = await toldOf(rest, id);
  const { body } = await rest.ask("GET", `/runs/${id}/timeline?limit=1000&kind=event,input`);
  const way = body["items"] as { kind: string; title: string; entry: { number?: number } }[];
  return { told, timeline: way.map(({ kind, title, entry }) => (kind === "input" ? entry.number : title)) };
}
