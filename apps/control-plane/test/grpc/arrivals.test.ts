import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { Arrivals } from "../../src/grpc/arrivals.ts";

const FREE_MS = 50;
/** Long enough for all who may be cut off. */
const PAST_MS = 300;

/** Arrivals all of whose places are taken by two tenants, by a connection each. */
function taken(rate: number) {
  const arrivals = new Arrivals(FREE_MS);
  const begunAt = performance.now();
  const late: string[] = [];
  const expectOne = (tenant: string, caller: string) => {
    const line = { peer: tenant, bytesRead: () => rate * (performance.now() - begunAt) };
    return arrivals.expect({ tenant, caller }, line, () => late.push(tenant));
  };
  const inside = ["a", "b"].flatMap((tenant) =>
    Array.from({ length: 64 }, (_, index) => expectOne(tenant, `${tenant}${index % 2}`)),
  );
  return { late, expectOne, inside };
}

it("one of which nothing has come is too late soon if others wait, and only then", async () => {
  const { late, expectOne, inside } = taken(0);
  await setTimeout(PAST_MS);
  expect(late).toEqual([]);
  const another = expectOne("c", "c");
  let hasEntered = false;
  void another.entered.then(() => (hasEntered = true));
  await setTimeout(PAST_MS);
  expect(new Set(late)).toEqual(new Set(["a", "b"]));
  expect(hasEntered).toBe(false);
  inside[0]!.leave();
  await another.entered;
  for (const { leave } of [...inside, another]) leave();
});

it("who comes fast enough is left alone, and so is who has come and is being answered", async () => {
  // As much as all 64 of a connection need.
  const { late, expectOne, inside } = taken(64 * 100);
  const another = expectOne("c", "c");
  await setTimeout(PAST_MS);
  expect(late).toEqual([]);
  for (const { leave } of [...inside, another]) leave();
  const answered = taken(0);
  for (const { arrived } of answered.inside) arrived();
  const last = answered.expectOne("c", "c");
  await setTimeout(PAST_MS);
  expect(answered.late).toEqual([]);
  last.leave();
});

it("those of one namespace who keep out others of it are too late, and those of another are not", async () => {
  const { late, expectOne, inside } = taken(0);
  inside[64]!.leave();
  const kept = expectOne("a", "a3");
  await setTimeout(PAST_MS);
  expect(new Set(late)).toEqual(new Set(["a"]));
  for (const { leave } of [...inside, kept]) leave();
});
