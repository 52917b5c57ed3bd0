import { expect, it } from "vitest";
import { TakenRoom } from "../../src/runloop/taken-room.ts";

const said = (count: number, turn: number) => ({ whose: "default:billing", count, turn });

it("what was claimed counts until its call is sent, however often the room is said, and then until it is said anew", () => {
  const taken = new TakenRoom(() => 0);
  taken.take(said(10, 1), 10);
  expect(taken.left(said(10, 1))).toBe(0);
  for (let n = 0; n < 4; n++) taken.send(said(10, 1));
  expect(taken.left(said(10, 1))).toBe(0);
  // The four are part of what is said now; six are still to come.
  expect(taken.left(said(6, 2))).toBe(0);
  taken.giveBack(said(6, 2));
  expect(taken.left(said(6, 2))).toBe(1);
});

it("what nothing is heard of is forgotten after a while, also while others are claimed", () => {
  let now = 0;
  const taken = new TakenRoom(() => now);
  taken.take(said(10, 1), 3);
  now = 4_000;
  taken.take(said(10, 1), 2);
  now = 5_000;
  expect(taken.left(said(10, 1))).toBe(8);
});
