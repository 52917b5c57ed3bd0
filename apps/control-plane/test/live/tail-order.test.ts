import fc from "fast-check";
import { expect, it } from "vitest";
import { inOrder, type Told } from "../../src/live/tail-order.ts";
import type { TailPosition, ToldEventRow, ToldStepRow } from "../../src/store/read-events.ts";

const stepOf = (number: number): ToldStepRow => ({ number, kind: "result", call: null, node: null, name: null, at: 0 });
const eventOf = (id: number, afterInput: number): ToldEventRow => ({
  id,
  kind: "log",
  data: null,
  isCut: false,
  at: 0,
  afterInput,
});

/** What happened to a run, one after the other: inputs, and events; some of those who did not know how many inputs there were. */
const happened = fc.array(fc.constantFrom("step" as const, "event" as const, "unknowing" as const), { maxLength: 30 });

interface Run {
  readonly steps: readonly ToldStepRow[];
  readonly events: readonly ToldEventRow[];
}

function runOf(all: readonly ("step" | "event" | "unknowing")[]): Run {
  const steps: ToldStepRow[] = [];
  const events: ToldEventRow[] = [];
  for (const [index, what] of all.entries()) {
    if (what === "step") steps.push(stepOf(steps.length + 1));
    else events.push(eventOf(index + 1, what === "event" ? steps.length : 0));
  }
  return { steps, events };
}

/** A page of a run, of which so much can be seen. */
function pageOf({ steps, events }: Run, from: TailPosition, stepsMax: number, eventsMax: number, decided: number) {
  const left = {
    steps: steps.filter(({ number }) => number > from.number),
    events: events.filter(({ id }) => id > from.event),
  };
  const tail = {
    steps: left.steps.slice(0, stepsMax),
    hasAllSteps: left.steps.length <= stepsMax,
    events: left.events.slice(0, eventsMax),
    hasAllEvents: left.events.length <= eventsMax,
  };
  return [...inOrder(from, tail, { before: decided, upTo: decided, isKnown: true })];
}

const nameOf = (told: Told): string => ("event" in told ? `event ${told.event.id}` : `step ${told.step.number}`);

it("whatever pages are read, and however much of an order is decided, it is the same", () => {
  const sizes = fc.infiniteStream(fc.record({ steps: fc.nat(4), events: fc.nat(4), decided: fc.nat(31) }));
  fc.assert(
    fc.property(happened, sizes, (all, pages) => {
      const run = runOf(all);
      const whole = pageOf(run, { event: 0, number: 0 }, 99, 99, 99).map(nameOf);
      expect(whole).toHaveLength(all.length);
      const told: string[] = [];
      let from: TailPosition = { event: 0, number: 0 };
      for (let look = 0; look < 50; look++) {
        const { steps, events, decided } = pages.next().value!;
        // All are decided in the end.
        const page =
          look < 20 ? pageOf(run, from, steps, events, decided) : pageOf(run, from, 1 + steps, 1 + events, 99);
        told.push(...page.map(nameOf));
        from = page.at(-1)?.position ?? from;
      }
      expect(told).toEqual(whole);
    }),
  );
});

it("an input stands before the events that it causes, and an event before the inputs that come after it", () => {
  fc.assert(
    fc.property(happened, (all) => {
      const whole = pageOf(runOf(all.filter((what) => what !== "unknowing")), { event: 0, number: 0 }, 99, 99, 99);
      const kinds = whole.map((told) => ("event" in told ? "event" : "step"));
      expect(kinds).toEqual(all.filter((what) => what !== "unknowing"));
    }),
  );
});

it("nothing is told beyond an event that is not decided, nor inputs while events may still come before them", () => {
  const tail = {
    steps: [1, 2, 3].map(stepOf),
    hasAllSteps: true,
    events: [eventOf(5, 1), eventOf(9, 2)],
    hasAllEvents: true,
  };
  const told = (upTo: number, isKnown: boolean): string[] =>
    [...inOrder({ event: 0, number: 0 }, tail, { before: upTo, upTo, isKnown })].map(nameOf);
  expect(told(4, false)).toEqual([]);
  expect(told(4, true)).toEqual(["step 1"]);
  expect(told(5, false)).toEqual(["step 1", "event 5"]);
  expect(told(5, true)).toEqual(["step 1", "event 5", "step 2"]);
  expect(told(9, false)).toEqual(["step 1", "event 5", "step 2", "event 9"]);
  expect(told(9, true)).toEqual(["step 1", "event 5", "step 2", "event 9", "step 3"]);
});

it("an event waits for inputs that were not there yet when they were read", () => {
  const tail = { steps: [stepOf(1)], hasAllSteps: true, events: [eventOf(5, 2)], hasAllEvents: true };
  const told = (before: number): string[] =>
    [...inOrder({ event: 0, number: 0 }, tail, { before, upTo: 5, isKnown: true })].map(nameOf);
  expect(told(4)).toEqual(["step 1"]);
  // Of a past that has no such input.
  expect(told(5)).toEqual(["step 1", "event 5"]);
});
