import { expect, it } from "vitest";
import { ByteRoom, type Guest } from "../../src/http/byte-room.ts";

it("lets in what fits; what is larger than a share, or than all of it, enters when it is the first; who waits too long is sent away", async () => {
  const room = new ByteRoom(100, 50);
  const entered: string[] = [];
  const enter = async (name: string, bytes: number): Promise<Guest> => {
    const guest = room.open(name);
    const isIn = await guest.take(bytes);
    entered.push(isIn ? name : `${name} sent away`);
    if (!isIn) guest.leave();
    return guest;
  };
  const [a, b] = await Promise.all([enter("a", 50), enter("b", 50)]);
  const large = enter("large", 1_000);
  const small = enter("small", 1);
  expect(entered).toEqual(["a", "b"]);
  a.leave();
  a.leave();
  b.leave();
  // What is more than a share does not keep others waiting, nor, once it is the first of all, does it take from them.
  await Promise.all([large, small]);
  expect(entered).toEqual(["a", "b", "small", "large"]);
  await enter("late", 51);
  const next = await enter("next", 49);
  expect(entered.slice(4)).toEqual(["late sent away", "next"]);
  for (const guest of [await large, await small, next]) guest.leave();
  await enter("last", 100);
  expect(entered.at(-1)).toBe("last");
});

it("takes room as it comes: who came first gets on, whoever else has some of it, and who holds little keeps no one out", async () => {
  const room = new ByteRoom(100, 50);
  const [slow, first, second] = [room.open("slow"), room.open("first"), room.open("second")];
  expect(await slow.take(1)).toBe(true);
  expect(await Promise.all([first.take(50), second.take(49)])).toEqual([true, true]);
  const more = [first.take(30), second.take(1)];
  expect(await slow.take(10)).toBe(true);
  slow.leave();
  // The first of those that are left, over its share.
  expect(await Promise.all(more)).toEqual([true, true]);
  expect(await second.take(1)).toBe(false);
  first.leave();
  expect(await second.take(1)).toBe(true);
});

it("gives no tenant more than half, however many requests it has, and nobody waits behind one whose share is used up", async () => {
  const room = new ByteRoom(100, 20);
  const [stalled, another, other, third] = [room.open("a"), room.open("a"), room.open("b"), room.open("c")];
  expect(await stalled.take(90)).toBe(true);
  const behind = another.take(1);
  expect(await other.take(40)).toBe(true);
  const full = third.take(20);
  expect([await behind, await full, await third.take(10)]).toEqual([false, false, true]);
  stalled.leave();
  expect(await another.take(1)).toBe(true);
});

it("does not wait for those who have left", async () => {
  const room = new ByteRoom(100, 60_000);
  const [first, second, third] = [room.open("a"), room.open("b"), room.open("c")];
  expect(await Promise.all([first.take(50), second.take(50)])).toEqual([true, true]);
  const gone = second.take(50);
  const waiting = third.take(50);
  second.leave();
  expect([await gone, await waiting]).toEqual([false, true]);
  expect(await second.take(1)).toBe(false);
  for (const guest of [first, third]) guest.leave();
  expect(await Promise.all(["a", "b"].map((tenant) => room.open(tenant).take(50)))).toEqual([true, true]);
});
