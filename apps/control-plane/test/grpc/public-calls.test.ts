import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { PublicCalls } from "../../src/grpc/public-calls.ts";

const ARRIVING_MS = 10;
const counted = (): Promise<void> => setTimeout(5 * ARRIVING_MS);

/** Calls by the name of who makes them, and who was cut off. */
function calls() {
  const all = new PublicCalls(ARRIVING_MS);
  const cut: string[] = [];
  const arrive = (ip: string, name = ip): (() => void) => all.arrive(ip, () => cut.push(name));
  return { cut, arrive };
}

it("requests that are whole soon are in nobody's way, however many there are at one time", async () => {
  const { cut, arrive } = calls();
  const slow = Array.from({ length: 16 }, () => arrive("10.0.0.1"));
  await counted();
  for (const done of Array.from({ length: 1_000 }, () => arrive("10.0.0.1"))) done();
  await counted();
  expect(cut).toEqual([]);
  for (const done of slow) done();
  for (let index = 0; index < 16; index++) arrive("10.0.0.1");
  await counted();
  expect(cut).toEqual([]);
});

it("of one address that has too many, the oldest goes, and not the one that comes", async () => {
  const { cut, arrive } = calls();
  for (let index = 0; index < 16; index++) arrive("2001:db8::1", `${index}`);
  await counted();
  arrive("2001:db8::2", "last");
  await counted();
  expect(cut).toEqual(["0"]);
});

it("of all, if they are too many, the oldest of the address that has the most goes, and nobody else's", async () => {
  const { cut, arrive } = calls();
  arrive("10.0.0.3", "the oldest of all");
  await counted();
  for (let index = 0; index < 16; index++) arrive("10.0.0.1");
  for (let index = 0; index < 15; index++) arrive("10.0.0.2");
  await counted();
  expect(cut).toEqual([]);
  for (let index = 0; index < 3; index++) arrive(`10.0.1.${index}`);
  await counted();
  expect(cut.toSorted()).toEqual(["10.0.0.1", "10.0.0.1", "10.0.0.2"]);
});
