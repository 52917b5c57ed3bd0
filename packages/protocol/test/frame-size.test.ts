import { toBinary } from "@bufbuild/protobuf";
import {
  BATCH_MAX,
  type Dispatch,
  FRAME_BYTES_MAX,
  INLINE_BYTES_MAX,
  SECRET_BYTES_MAX,
  SECRETS_MAX,
} from "@cairnjs/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { controlPlaneFrameToProto, inFrames, pb } from "../src/index.ts";
import * as arbitrary from "./arbitraries.ts";

const bytesOf = (dispatches: Dispatch[]): number =>
  toBinary(pb.WorkResponseSchema, controlPlaneFrameToProto({ dispatches })).length;

describe("a list in frames", () => {
  it("keeps its order, and each frame its limits", () => {
    const values = fc.nat({ max: INLINE_BYTES_MAX - 2 }).map((length) => ({ json: `"${"x".repeat(length)}"` }));
    const large = fc
      .tuple(arbitrary.dispatch, values, values)
      .map(([call, args, options]) => ({ ...call, args, options }));
    fc.assert(
      fc.property(fc.array(fc.oneof(arbitrary.dispatch, large), { maxLength: 20 }), (calls) => {
        const frames = [...inFrames(calls)];
        expect(frames.flat()).toEqual(calls);
        for (const frame of frames) expect(bytesOf(frame)).toBeLessThanOrEqual(FRAME_BYTES_MAX / 4);
      }),
      { numRuns: 30 },
    );
  });

  const [sample] = fc.sample(arbitrary.dispatch, { numRuns: 1, seed: 1 });
  const { secrets: _, ...call } = sample!;

  it("has at most 1,000 in each", () => {
    const small = { ...call, call: "1.0", action: "a", type: "t", version: "1", idempotencyKey: "k" };
    const calls = Array.from({ length: 2 * BATCH_MAX + 1 }, () => ({ ...small, args: { json: "1" }, options: null }));
    expect([...inFrames(calls)].map((frame) => frame.length)).toEqual([BATCH_MAX, BATCH_MAX, 1]);
  });

  it("lets the largest call through, alone", () => {
    const value = { json: `"${"x".repeat(INLINE_BYTES_MAX - 2)}"` };
    const secrets = Array.from({ length: SECRETS_MAX }, (_, n) => ({
      name: `s-${n}`,
      value: "x".repeat(SECRET_BYTES_MAX),
    }));
    const largest = { ...call, args: value, options: value, heartbeatDetails: value, secrets };
    expect([...inFrames([largest, largest])].map((frame) => frame.length)).toEqual([1, 1]);
    expect(bytesOf([largest])).toBeLessThan(FRAME_BYTES_MAX / 4);
    expect([...inFrames([])]).toEqual([]);
  });
});
