import { randomUUID } from "node:crypto";
import { type PayloadCodec, sealed } from "cairnjs";
import { createClient } from "cairnjs/client";
import { beforeAll, describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { comparedText } from "../../src/store/compared-text.ts";
import { digestOf } from "../../src/store/mail.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { testBed } from "../support/test-engine.ts";
import { sealedJson, testCodec } from "../support/test-sealing.ts";
import { holding } from "../workflows/sealing.ts";

const KEY = randomUUID();
let codec: PayloadCodec;

beforeAll(async () => {
  codec = await testCodec();
});

const clientOf = ({ plane }: RestBed): ReturnType<typeof createClient> =>
  createClient({ url: `http://127.0.0.1:${plane.httpPort}`, codec });

const order = (
  name: string,
  text = "4111",
): { order: string; parcel: ReturnType<typeof sealed<{ text: string }>> } => ({
  order: name,
  parcel: sealed({ text }),
});

describe("what has sealed parts and is said again", () => {
  it("starts one run, by its id or a key, alone, in a batch and with a ttl, however large it is; another input is refused", async () => {
    const rest = await openRest();
    const client = clientOf(rest);
    for (const text of ["4111", "4".repeat(300_000)]) {
      for (const more of [{}, { ttl: 3_600_000 }]) {
        const id = newRunId(Date.now());
        const start = (name: string, own: object): Promise<{ readonly id: string }> =>
          client.start(holding, order(name, text), { ...more, ...own });
        expect((await start("a", { id })).id).toBe(id);
        expect((await start("a", { id })).id).toBe(id);
        await expect(start("b", { id })).rejects.toMatchObject({ code: "IdConflict" });
        const keyed = await start("a", { idempotencyKey: `key of ${id}` });
        expect((await start("a", { idempotencyKey: `key of ${id}` })).id).toBe(keyed.id);
        await expect(start("b", { idempotencyKey: `key of ${id}` })).rejects.toMatchObject({
          code: "IdempotencyConflict",
        });
      }
    }
    const ids = [newRunId(Date.now()), newRunId(Date.now())];
    const many = (): Promise<readonly { readonly id: string }[]> =>
      client.startMany(
        holding,
        ids.map((id, index) => ({ input: order(`${index}`), id })),
      );
    for (const runs of [await many(), await many()]) expect(runs.map(({ id }) => id)).toEqual(ids);
    expect(await rest.bed.query("SELECT FROM cairn.runs")).toHaveLength(10);
  });

  it("is one signal, one order for many runs, and one start in library mode", async () => {
    const rest = await openRest();
    const { id } = await clientOf(rest).start(holding, order("a"));
    const signal = async (value: unknown): Promise<number> =>
      (await rest.ask("POST", `/runs/${id}/signal`, { name: "more", value: await sealedJson(codec, value), key: KEY }))
        .status;
    expect(await signal({ by: "me", note: sealed("x") })).toBe(202);
    expect(await signal({ by: "me", note: sealed("x") })).toBe(202);
    expect(await signal({ by: "you", note: sealed("x") })).toBe(409);
    const bulk = async (value: unknown): Promise<number> => {
      const body = {
        action: "signal",
        name: "all",
        filter: { type: [holding.name] },
        value: await sealedJson(codec, value),
      };
      return (await rest.ask("POST", "/runs/bulk", body, { "idempotency-key": "bulk" })).status;
    };
    expect([await bulk([sealed(1), 2]), await bulk([sealed(1), 2]), await bulk([sealed(1), 3])]).toEqual([
      200, 200, 409,
    ]);
    const bed = await testBed();
    const cairn = await bed.open({ codec });
    const start = async (name: string): Promise<string> =>
      (await cairn.start(holding, order(name), { idempotencyKey: "k" })).id;
    expect(await start("a")).toBe(await start("a"));
    await expect(start("b")).rejects.toMatchObject({ code: "IdempotencyConflict" });
  });

  it("is compared in all but what is sealed", () => {
    const of = (text: string, beside: unknown): string =>
      JSON.stringify({ a: { $codec: ["cairn.sealed", text] }, beside });
    expect(comparedText(of("QQ==", 1))).toBe(comparedText(of("Qg==", 1)));
    expect(comparedText(of("QQ==", 1))).not.toBe(comparedText(of("QQ==", 2)));
    expect(comparedText('{ "$codec" : [ "cairn.sealed", "a\\/b" ] }')).toBe('{"$codec":["cairn.sealed",""]}');
    // A text of theirs that looks like it, and another codec.
    for (const beside of [of("QQ==", 1), { $codec: ["mine", "QQ=="] }, "cairn.sealed"]) {
      const text = JSON.stringify({ beside });
      expect(comparedText(text)).toBe(text);
    }
    expect(digestOf("signal", of("QQ==", 1))).toBe(digestOf("signal", of("Qg==", 1)));
    expect(digestOf({ value: JSON.parse(of("QQ==", 1)) })).toBe(digestOf({ value: JSON.parse(of("Qg==", 1)) }));
    expect(digestOf("signal", of("QQ==", 1))).not.toBe(digestOf("signal", of("QQ==", 2)));
  });
});
