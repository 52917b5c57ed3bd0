import fc from "fast-check";
import { expect, it } from "vitest";
import { BriefMemory, type Found } from "../../src/access/brief-memory.ts";

const BRIEF_MS = 100;

/** What can be done with keys, and how long it takes. */
const event = fc.oneof(
  fc.record({ kind: fc.constant("ask" as const), key: fc.nat(3), answerAfter: fc.constantFrom(0, 0, 10, 200) }),
  fc.record({ kind: fc.constant("make" as const), key: fc.nat(3), livesMs: fc.oneof(fc.nat(150), fc.constant(null)) }),
  fc.record({ kind: fc.constant("revoke" as const), key: fc.nat(3), here: fc.boolean() }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(60) }),
);

it("says of a key only what was so a moment ago; never after it has expired or was revoked here", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 50, maxLength: 100 }), async (events) => {
      let now = 0;
      const keys = new Map<number, { until: number | null }>();
      /** When it was last good, and until when whoever asked before may have been told so. */
      const overSince = new Map<number, { at: number; here: boolean }>();
      const waiting: { at: number; answer: () => void }[] = [];
      const memory = new BriefMemory<string>(BRIEF_MS, 2, () => now);
      const asked: Promise<void>[] = [];
      const look = (key: number, after: number) => () =>
        new Promise<Found<string> | null>((resolve) => {
          const known = keys.get(key);
          const isGood = known !== undefined && (known.until === null || known.until > now);
          const livesMs = known?.until == null ? null : known.until - now;
          waiting.push({ at: now + after, answer: () => resolve(isGood ? { value: `key ${key}`, livesMs } : null) });
        });
      const settle = async (): Promise<void> => {
        for (const each of waiting.splice(0)) each.at <= now ? each.answer() : waiting.push(each);
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      };
      for (const happened of events) {
        if (happened.kind === "pass") now += happened.ms;
        else if (happened.kind === "make" && !keys.has(happened.key) && !overSince.has(happened.key)) {
          keys.set(happened.key, { until: happened.livesMs === null ? null : now + happened.livesMs });
        } else if (happened.kind === "revoke" && keys.delete(happened.key)) {
          overSince.set(happened.key, { at: now, here: happened.here });
          if (happened.here) memory.forget((value) => value === `key ${happened.key}`);
        } else if (happened.kind === "ask") {
          const { key } = happened;
          const began = now;
          const was = keys.get(key);
          const over = overSince.get(key);
          const check = async (): Promise<void> => {
            if ((await memory.get(`${key}`, look(key, happened.answerAfter))) === null) return;
            // Whoever is told so asked while it was good, or a moment later, if that is not known here.
            if (over !== undefined) expect(over.here ? Infinity : began - over.at).toBeLessThan(BRIEF_MS);
            // One that was made since may have been looked for since.
            else if (was !== undefined) expect(was.until ?? Infinity).toBeGreaterThan(began);
          };
          asked.push(check());
        }
        await settle();
      }
      while (waiting.length > 0) {
        now += 1_000;
        await settle();
      }
      await Promise.all(asked);
    }),
    { numRuns: 300 },
  );
});

it("asks once for all who ask at one time, and remembers those that are not there as well", async () => {
  const memory = new BriefMemory<string>(BRIEF_MS, 10, () => 0);
  let looks = 0;
  const look = async (): Promise<null> => {
    looks += 1;
    return null;
  };
  expect(await Promise.all([memory.get("a", look), memory.get("a", look)])).toEqual([null, null]);
  expect(await memory.get("a", look)).toBeNull();
  expect(looks).toBe(1);
});

it("has room for so many, and guesses drive out no key", async () => {
  const memory = new BriefMemory<string>(BRIEF_MS, 10, () => 0);
  let looks = 0;
  const found = async (): Promise<Found<string>> => {
    looks += 1;
    return { value: "key", livesMs: null };
  };
  await memory.get("key", found);
  for (let guess = 0; guess < 100; guess++) await memory.get(`guess ${guess}`, async () => null);
  await memory.get("key", found);
  expect(looks).toBe(1);
});

it("an answer that failed is not remembered", async () => {
  const memory = new BriefMemory<string>(BRIEF_MS, 10, () => 0);
  await expect(memory.get("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await memory.get("a", async () => ({ value: "key", livesMs: null }))).toBe("key");
});
