import { CHUNK_BYTES_MAX } from "@cairnjs/protocol";
import { ChunkRefused } from "cairnjs";
import { ChunkGate } from "cairnjs/host";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ChunkStream } from "../src/host/chunk-stream.ts";

/** In the order they are sent: a stream may break, what was not acknowledged is sent again. */
type Move =
  | { readonly kind: "stream"; readonly length: number }
  | { readonly kind: "send"; readonly acknowledged: number }
  | { readonly kind: "break" };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("stream" as const), length: fc.integer({ min: 0, max: 60_000 }) }),
    fc.record({ kind: fc.constant("send" as const), acknowledged: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ kind: fc.constant("break" as const) }),
  ),
  { maxLength: 200 },
);

it("whatever is acknowledged when: all that was taken arrives in order, without gaps, and little is kept", async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (list) => {
      const chunks = new ChunkStream(() => {});
      const arrived = new Map<number, string>();
      const taken: string[] = [];
      let [said, count] = [0, 0];
      const send = (acknowledged: number): void => {
        const sent = chunks.after(said);
        const bytes = chunks.after(0).reduce((sum, each) => sum + each.bytes, 0);
        expect(bytes).toBeLessThanOrEqual(256 * 1024);
        for (const { number, text } of sent) {
          expect(arrived.get(number) ?? text).toBe(text);
          arrived.set(number, text);
          said = number;
        }
        chunks.acknowledge(Math.max(0, said - acknowledged));
      };
      for (const move of list) {
        if (move.kind === "break") said = 0;
        else if (move.kind === "send") send(move.acknowledged);
        else {
          const text = `${(count += 1)} ${"x".repeat(move.length)}`;
          const isRefused = await Promise.race([
            chunks.take({ text, bytes: text.length }).then(
              () => false,
              (error: unknown) => error instanceof ChunkRefused,
            ),
            // It waits for room.
            new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
          ]);
          if (!isRefused) taken.push(text);
        }
      }
      const settled = chunks.admitted().then(() => chunks.taken());
      const pause = (): Promise<boolean> => new Promise((resolve) => setImmediate(() => resolve(false)));
      do send(0);
      while (!(await Promise.race([settled.then(() => true), pause()])));
      expect([...arrived.keys()]).toEqual(taken.map((_, index) => index + 1));
      expect([...arrived.values()]).toEqual(taken);
    }),
    { numRuns: 50 },
  );
});

it("a handler that awaits nothing is refused after a megabyte", async () => {
  const chunks = new ChunkStream(() => {});
  const text = "x".repeat(50_000);
  const taken = await Promise.allSettled(
    Array.from({ length: 40 }, () =>
      Promise.race([chunks.take({ text, bytes: text.length }), new Promise((resolve) => setImmediate(resolve))]),
    ),
  );
  const refused = taken.filter(({ status }) => status === "rejected");
  // 256 KB are kept, and 1 MB waits.
  expect(taken.length - refused.length).toBe(5 + 20);
  expect(refused[0]).toMatchObject({
    reason: { name: "ChunkRefused", message: expect.stringContaining("await stream()") },
  });
});

it("who waits when the attempt is over is told why; what was taken goes on", async () => {
  const chunks = new ChunkStream(() => {});
  const chunk = { text: "x".repeat(200_000), bytes: 200_000 };
  await chunks.take(chunk);
  const waiting = chunks.take(chunk);
  chunks.close(new Error("too slow"));
  await expect(waiting).rejects.toThrow("too slow");
  await expect(chunks.take(chunk)).rejects.toThrow("too slow");
  await chunks.admitted();
  expect(chunks.after(0).map(({ number }) => number)).toEqual([1]);
  chunks.abort(new Error("cancelled"));
  await chunks.taken();
  expect(chunks.after(0)).toEqual([]);
});

it("handlers may stream what control planes take", async () => {
  const gate = new ChunkGate("a", () => ({ debug() {}, info() {}, warn() {}, error() {} }));
  const sent: number[] = [];
  await gate.send("x".repeat(CHUNK_BYTES_MAX - 2), ({ bytes }) => void sent.push(bytes));
  expect(sent).toEqual([CHUNK_BYTES_MAX]);
  await expect(gate.send("x".repeat(CHUNK_BYTES_MAX - 1), () => {})).rejects.toThrow(ChunkRefused);
});
