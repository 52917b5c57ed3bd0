import { decodeNative, encodeNative, MalformedValue } from "@cairnjs/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyGraph } from "../../../../packages/ir/src/values/testing/graphs.ts";
import { blobDigest, type BlobStore } from "../../src/blobs/blob-store.ts";
import { BLOB_THRESHOLD, isReference, needsBlob, referenceTo } from "../../src/blobs/reference.ts";
import { storedForm, valueOf } from "../../src/blobs/stored-values.ts";
import { testBed } from "../support/test-engine.ts";
import { storeBed, NOOP } from "../support/test-store.ts";

const SEED = 1_603;
const DIGEST = blobDigest(Buffer.from("something"));
const REFERENCE = referenceTo(DIGEST, 9);

function inMemory(): BlobStore & { readonly kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  const put = async (bytes: Uint8Array): Promise<string> => {
    kept.set(blobDigest(bytes), bytes);
    return blobDigest(bytes);
  };
  return {
    kept,
    put,
    putMany: (blobs) => Promise.all(blobs.map(put)),
    get: async (digest) => Buffer.from(kept.get(digest)!),
  };
}

/** Values that try to look like a reference. */
const impostor = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(DIGEST, REFERENCE, "$blob", null, 1),
    fc.record({ $blob: tie("value") }),
    fc.record({ $blob: tie("value"), bytes: tie("value") }),
    fc.dictionary(fc.constantFrom("$blob", "$object", "\u0024blob", "blob", "$"), tie("value"), { maxKeys: 2 }),
    fc.array(tie("value"), { maxLength: 2 }),
    tie("value").map((value) => new Map([["$blob", value]])),
    tie("value").map((value) => Object.assign(new Error("x"), { $blob: value })),
    tie("value").map((value) => Object.assign([], { $blob: value })),
  ),
})).value;

describe(`a reference to a blob, seed ${SEED}`, () => {
  it("is what no value of a user is encoded to", () => {
    const isNone = (value: unknown): void => {
      expect(isReference(encodeNative(value))).toBe(false);
    };
    fc.assert(fc.property(impostor, isNone), { seed: SEED, numRuns: 3_000 });
    fc.assert(
      fc.property(anyGraph, (value) => {
        let text: string;
        try {
          text = encodeNative(value);
        } catch {
          // With a codec of its own, which nobody has here.
          return;
        }
        expect(isReference(text)).toBe(false);
      }),
      { seed: SEED, numRuns: 1_000 },
    );
    isNone({ $blob: DIGEST, bytes: 9 });
    expect(encodeNative({ $blob: DIGEST, bytes: 9 })).toBe(`{"$object":{"$blob":"${DIGEST}","bytes":9}}`);
  });

  it("is no value for whoever decodes it", () => {
    expect(() => decodeNative(REFERENCE)).toThrow(MalformedValue);
  });

  it("stands for values of more than 256 KB, and for none that are smaller", async () => {
    const blobs = inMemory();
    const largest = JSON.stringify("x".repeat(BLOB_THRESHOLD - 2));
    expect(await storedForm(blobs, largest)).toBe(largest);
    expect(blobs.kept.size).toBe(0);
    const larger = JSON.stringify("é".repeat(BLOB_THRESHOLD - 1));
    const stored = await storedForm(blobs, larger);
    expect(stored).toBe(referenceTo(blobDigest(Buffer.from(larger)), Buffer.byteLength(larger)));
    expect(await valueOf(blobs, stored, "r", "It")).toBe(larger);
  });

  it("a text that has its form by other means is stored as a blob, and comes back as it was", async () => {
    const blobs = inMemory();
    expect(needsBlob(REFERENCE)).toBe(true);
    const stored = await storedForm(blobs, REFERENCE);
    expect(stored).not.toBe(REFERENCE);
    expect(await valueOf(blobs, stored, "r", "It")).toBe(REFERENCE);
    for (const near of [`${REFERENCE} `, ` ${REFERENCE}`, REFERENCE.toUpperCase(), REFERENCE.slice(0, -2)]) {
      expect(needsBlob(near)).toBe(false);
    }
  });

  it("is refused from SQL, as an input and as a signal", async () => {
    const bed = await storeBed();
    await expect(bed.query("SELECT cairn.start_run($1, $2)", NOOP.name, REFERENCE)).rejects.toMatchObject({
      code: "22023",
      hint: "InvalidInput",
    });
    const [run] = await bed.query<{ id: string }>("SELECT cairn.start_run($1, '1') AS id", NOOP.name);
    await expect(bed.query("SELECT cairn.signal_run($1, 'news', $2)", run!.id, REFERENCE)).rejects.toMatchObject({
      hint: "InvalidInput",
    });
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("in SQL, digest and length of a value are the same wherever it is stored", async () => {
    const bed = await testBed();
    const large = JSON.stringify("é".repeat(300_000));
    const digest = blobDigest(Buffer.from(large));
    const rows = await bed.query(
      `SELECT encode(cairn.value_digest($1), 'hex') AS itself, encode(cairn.value_digest($2), 'hex') AS referred,
        cairn.value_bytes($1)::int AS long, cairn.value_bytes($2)::int AS also`,
      large,
      referenceTo(digest, Buffer.byteLength(large)),
    );
    expect(rows).toEqual([{ itself: digest, referred: digest, long: 600_002, also: 600_002 }]);
  });
});
