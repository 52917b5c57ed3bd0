import { expect, it } from "vitest";
import { ANYONE, type Caller } from "../src/access/caller.ts";
import { type Place, Places } from "../src/places.ts";
import { holderOf } from "../src/shares.ts";

const bounds = { all: 4, ofTenant: 2, ofCaller: 1, tooMany: "Too many" };

/** Tries to come in, and notes when it is. */
class Line {
  readonly inside: string[] = [];
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  come(caller: string, tenant: string, size = 1, name = caller): Place {
    const place = this.#places.wait({ caller, tenant }, size);
    void place.entered.then(() => this.inside.push(name));
    return place;
  }

  async now(): Promise<readonly string[]> {
    await new Promise(setImmediate);
    return this.inside.splice(0);
  }
}

it("a caller has his places, a tenant those of all his callers, whatever keys they have", async () => {
  const line = new Line(new Places(bounds));
  const first = line.come("a1", "a");
  for (const caller of ["a1", "a2", "a3", "a4"]) line.come(caller, "a");
  expect(await line.now()).toEqual(["a1", "a2"]);
  line.come("b1", "b");
  expect(await line.now()).toEqual(["b1"]);
  first.leave();
  first.leave();
  expect(await line.now()).toEqual(["a1"]);
});

it("those who wait come in turns, by tenant and then by caller, however many there are of one", async () => {
  const line = new Line(new Places({ ...bounds, all: 1, ofTenant: 1 }));
  const places = new Map<string, Place>();
  const come = (name: string): void => {
    const caller = name.slice(0, 2);
    places.set(name, line.come(caller, caller.slice(0, 1), 1, name));
  };
  const names = ["x1", "a1 first", "a1 second", "a1 third", "a2", "b1 first", "b1 second", "c1"];
  for (const name of names) come(name);
  const order: string[] = [];
  for (const _ of names) {
    const [inside] = await line.now();
    order.push(inside!);
    places.get(inside!)!.leave();
  }
  expect(order).toEqual(["x1", "a1 first", "b1 first", "c1", "a2", "b1 second", "a1 second", "a1 third"]);
});

it("one that is large waits for room, and small ones that come later do not overtake it", async () => {
  const line = new Line(new Places({ all: 10, ofTenant: 6, ofCaller: 6, tooMany: "Too many" }));
  const first = line.come("a", "a", 5);
  const second = line.come("b", "b", 5);
  line.come("c", "c", 6);
  line.come("d", "d", 1);
  expect(await line.now()).toEqual(["a", "b"]);
  first.leave();
  expect(await line.now()).toEqual([]);
  second.leave();
  expect(await line.now()).toEqual(["c", "d"]);
});

it("what is larger than all there is comes in alone", async () => {
  const line = new Line(new Places(bounds));
  const huge = line.come("a", "a", 100);
  line.come("b", "b");
  expect(await line.now()).toEqual(["a"]);
  huge.leave();
  expect(await line.now()).toEqual(["b"]);
});

it("who leaves while he waits gives up his turn, and no place", async () => {
  const line = new Line(new Places(bounds));
  line.come("a", "a");
  line.come("a", "a", 1, "left").leave();
  const third = line.come("a", "a", 1, "third");
  expect(await line.now()).toEqual(["a"]);
  third.leave();
  line.come("b", "b");
  expect(await line.now()).toEqual(["b"]);
});

it("one is in the way of others whom he keeps out, and not of those who are kept out by their own", async () => {
  const line = new Line(new Places(bounds));
  const [a1, a2, b1] = [line.come("a1", "a"), line.come("a2", "a"), line.come("b1", "b")];
  const own = line.come("b1", "b");
  expect([a1, a2, b1].map((place) => place.isInTheWay())).toEqual([false, false, false]);
  const kept = line.come("a3", "a");
  expect([a1, a2, b1, kept].map((place) => place.isInTheWay())).toEqual([true, true, false, false]);
  kept.leave();
  const last = line.come("c1", "c");
  line.come("d1", "d");
  expect([a1, b1, last, own].map((place) => place.isInTheWay())).toEqual([true, true, true, false]);
});

it("of one caller, and of one tenant, so many wait", () => {
  const line = new Line(new Places(bounds));
  for (let time = 0; time < 1_001; time++) line.come("a", "a");
  expect(() => line.come("a", "a")).toThrow("Too many");
  for (let caller = 1; caller < 4; caller++) for (let time = 0; time < 1_000; time++) line.come(`a${caller}`, "a");
  line.come("b", "b");
  line.come("a4", "a");
  expect(() => line.come("a5", "a")).toThrow("Too many");
});

it("callers of one namespace share; each who is for all of them has a share of his own", () => {
  const of = (caller: Partial<Caller>) => holderOf({ ...ANYONE, ...caller });
  const [one, two] = [of({ keyId: "1", namespace: "shop" }), of({ keyId: "2", namespace: "shop" })];
  expect([one.caller === two.caller, one.tenant === two.tenant]).toEqual([false, true]);
  const [three, four] = [of({ keyId: "3" }), of({ keyId: "4" })];
  expect(three.tenant).not.toBe(four.tenant);
  expect(of({ keyId: "shop" }).tenant).not.toBe(one.tenant);
});
