import { describe, expect, it } from "vitest";
import { createClient, type RunsFilter, sealed } from "../../src/client/index.ts";
import { fakePlane, json } from "./fake-plane.ts";

/** What is asked of a control plane. */
async function askedFor(contains: unknown): Promise<unknown> {
  const plane = await fakePlane((response) => json(response, 200, { items: [], next: null }));
  const filter: RunsFilter = { contains };
  for await (const _ of createClient({ url: plane.url }).runs(filter));
  const said = new URL(plane.asked[0]!.url, plane.url).searchParams.get("contains");
  return said === null ? undefined : JSON.parse(said);
}

describe("what a payload is to contain", () => {
  it("is written as inputs are", async () => {
    expect(await askedFor({ a: { b: [1, "x", null, true] } })).toEqual({ a: { b: [1, "x", null, true] } });
    expect(await askedFor({ at: new Date(77), n: 77n, z: -0 })).toEqual({
      ...{ at: { $date: 77 }, n: { $bigint: "77" }, z: { $number: "-0" } },
    });
    expect(await askedFor(new Map([["a", 1]]))).toEqual({ $map: [["a", 1]] });
    expect(await askedFor({ $price: 5 })).toEqual({ $object: { $price: 5 } });
    expect(await askedFor(null)).toBe(null);
    expect(await askedFor(undefined)).toBe(undefined);
  });

  it("may have the same thing in it twice, as a run has that was given two of them", async () => {
    const at = new Date(5);
    const place = { city: "Ulm", at };
    expect(await askedFor({ from: place, to: place, at: [at, at] })).toEqual({
      from: { city: "Ulm", at: { $date: 5 } },
      to: { city: "Ulm", at: { $date: 5 } },
      at: [{ $date: 5 }, { $date: 5 }],
    });
  });

  it("says something wherever it has a name, and nothing that cannot be looked for", async () => {
    await expect(askedFor({ customer: { id: undefined } })).rejects.toThrow(
      new TypeError("contains.customer.id is undefined: leave it out if any value will do"),
    );
    await expect(askedFor([1, undefined])).rejects.toThrow("contains[1] is undefined");
    await expect(askedFor({ card: sealed("4111") })).rejects.toThrow(
      new TypeError("contains.card is sealed: what is sealed cannot be looked for"),
    );
    await expect(askedFor({ call: () => 1 })).rejects.toMatchObject({ name: "NotStorable", path: "contains.call" });
    const circle: { self?: unknown } = {};
    circle.self = circle;
    await expect(askedFor(circle)).rejects.toThrow(new TypeError("contains has at most 50 levels"));
  });
});
