import { action } from "cairnjs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dispatchOf, FakeControlPlane } from "./support/fake-control-plane.ts";
import { Worker } from "../src/index.ts";
import { until } from "./support/until.ts";

const runs = new Map<string, number>();
let isHeld = false;
let release: (() => void)[] = [];
action("default.count", async (key: string) => {
  runs.set(key, (runs.get(key) ?? 0) + 1);
  if (isHeld) await new Promise<void>((resolve) => release.push(resolve));
  return key;
});

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("dispatch" as const),
      at: fc.nat(1),
      count: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("break" as const), at: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const), at: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("ask" as const), at: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("goodbye" as const), at: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("acknowledge" as const), at: fc.nat(1), does: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("hold" as const), at: fc.nat(1), does: fc.boolean() }) },
);

function letGo(): void {
  isHeld = false;
  for (const end of release.splice(0)) end();
  release = [];
}

describe("outcomes", () => {
  it("I8: each is delivered until it is acknowledged, and each try is run once, whatever streams break", async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        letGo();
        const planes = [await FakeControlPlane.open({ id: "c-1" }), await FakeControlPlane.open({ id: "c-2" })];
        for (const fake of planes) fake.welcome = { controlPlanes: planes.map(({ address }) => address) };
        const worker = new Worker({
          urls: [planes[0]!.url],
          namespace: "default",
          token: null,
          certificates: () => ({ authority: null, own: null }),
          modules: [],
          prefixes: [""],
          capacity: 5,
          threads: 1,
          drainMs: 0,
          flushMs: 10_000,
          recycleAfter: {},
          random: Math.random,
          log: () => {},
        });
        worker.connect();
        const sent = new Set<string>();
        try {
          for (const each of steps) {
            const fake = planes[each.at]!;
            const stream = await fake.stream();
            if (each.kind === "break") stream.break();
            else if (each.kind === "ask") stream.send({ askInFlight: true });
            else if (each.kind === "acknowledge") fake.acknowledges = each.does;
            else if (each.kind === "goodbye") {
              stream.send({ goodbye: true });
              stream.end();
              stream.hasEnded = true;
            } else if (each.kind === "hold") {
              if (each.does) isHeld = true;
              else letGo();
            } else if (each.kind === "restart") {
              fake.kill();
              await fake.restart();
            } else {
              const dispatches = Array.from({ length: each.count }, () => {
                const key = `${number++}.0`;
                return dispatchOf("default.count", [key], { call: key });
              });
              stream.send({ dispatches });
              // Known to have arrived: what breaks before is lost, and that is the control plane's affair.
              stream.send({ askInFlight: true });
              const last = dispatches.at(-1)!.call;
              await until(
                () =>
                  stream.frames.some(({ inFlight }) => inFlight?.calls.some(({ call }) => call === last)) ||
                  planes.some(({ outcomes }) => outcomes.some(({ call }) => call === last)),
                "the dispatch to arrive",
              );
              for (const { call } of dispatches) sent.add(call);
            }
          }
          letGo();
          // From now on all is acknowledged, also what has come on streams that are open: nothing is asked for again.
          for (const fake of planes) {
            fake.acknowledges = true;
            for (const open of fake.streams) if (!open.hasEnded) open.acknowledgeAll();
          }
          const delivered = () => new Set(planes.flatMap(({ outcomes }) => outcomes.map(({ call }) => call)));
          await until(() => [...sent].every((key) => delivered().has(key)), "all outcomes");
          expect([...sent].filter((key) => runs.get(key) !== 1)).toEqual([]);
          expect(await worker.drain(10_000)).toEqual({ kind: "drained", unacknowledged: 0 });
        } finally {
          letGo();
          await worker.drain(0);
          for (const fake of planes) fake.kill();
        }
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
});
