import { randomUUID } from "node:crypto";
import { type CairnClient, createClient } from "cairnjs/client";
import { describe, expect, it } from "vitest";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approval, approving, Money, same } from "../workflows/clients.ts";

async function openClient(): Promise<{ readonly rest: RestBed; readonly client: CairnClient }> {
  const rest = await openRest();
  return { rest, client: createClient({ url: `http://127.0.0.1:${rest.plane.httpPort}` }) };
}

describe("the client", () => {
  it("finds runs by what is in their inputs, whatever that is", async () => {
    const { client } = await openClient();
    const input = { at: new Date(77), n: 77n, zero: -0, $price: 5, who: { name: "Ada", money: new Money(5) } };
    const { $price: _price, ...plain } = input;
    const { id } = await client.start(same, plain);
    const priced = await client.start(same, input);
    await client.start(same, { at: new Date(78), n: 78n, zero: 0, who: { name: "Bob", money: new Money(6) } });
    const found = async (contains: unknown): Promise<string[]> => {
      const ids: string[] = [];
      for await (const run of client.runs({ contains })) ids.push(run.id);
      return ids;
    };
    for (const part of [plain, { at: new Date(77) }, { n: 77n }, { zero: -0 }, { who: { money: new Money(5) } }])
      expect(await found(part), JSON.stringify(Object.keys(part))).toEqual([id]);
    expect(await found({ $price: 5, n: 77n })).toEqual([priced.id]);
    expect(await found({ at: "1970-01-01T00:00:00.077Z" })).toEqual([]);
    await expect(found({ n: undefined })).rejects.toThrow("contains.n is undefined");
  });

  it("asks how a run is without its values, which need not even be there", async () => {
    const { rest, client } = await openClient();
    const run = await client.start(same, "x".repeat(1024 * 1024));
    await run.result();
    const { status, body } = await rest.ask("GET", `/runs/${run.id}?values=false`);
    expect(status).toBe(200);
    expect(Object.keys(body)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/payload|result|error|trace/)]),
    );
    const {
      payload: _payload,
      result: _result,
      trace: _trace,
      ...others
    } = (await rest.ask("GET", `/runs/${run.id}?values=true`)).body;
    expect(body).toEqual(others);
    await rest.bed.query("DELETE FROM cairn.blobs");
    expect(await run.status()).toMatchObject({ status: "succeeded", endedAt: expect.any(Date) as Date });
    await expect(run.show()).rejects.toMatchObject({ name: "CairnError" });
  });

  it("sends a signal once that it is told to send twice with one key, and no other with it; as library mode does", async () => {
    const { rest, client } = await openClient();
    const distant = await client.start(approving, 2);
    const cairn = await rest.bed.open();
    for (const run of [distant, await cairn.start(approving, 2)]) {
      const key = randomUUID();
      for (let time = 0; time < 2; time++) await run.signal(approval, { by: "ada", at: new Date(1) }, { key });
      const other = { by: "bob", at: new Date(1) };
      await expect(run.signal(approval, other, { key })).rejects.toMatchObject({ code: "IdempotencyConflict" });
      await run.signal(approval, other);
      expect(await run.result()).toEqual(["ada", "bob"]);
      await expect(run.signal(approval, other, { key: "x" })).rejects.toThrow("UUID, in small letters");
    }
  });
});
