import { expect, it } from "vitest";
import { ByteRoom } from "../../src/http/byte-room.ts";

it("lets in what fits, in the order it came; what is larger than all of it enters alone; who waits too long is sent away", async () => {
  const room = new ByteRoom(100, 50);
  const entered: string[] = [];
  const enter = async (name: string, bytes: number) => {
    const leave = await room.enter(bytes);
    entered.push(leave === null ? `${name} sent away` : name);
    return leave;
  };
  const [a, b] = await Promise.all([enter("a", 60), enter("b", 40)]);
  const large = enter("large", 1_000);
  const small = enter("small", 1);
  expect(entered).toEqual(["a", "b"]);
  a!();
  a!();
  b!();
  const alone = await large;
  expect(entered).toEqual(["a", "b", "large"]);
  const late = await enter("late", 100);
  expect([late, await small]).toEqual([null, null]);
  alone!();
  expect(await enter("next", 100)).not.toBeNull();
  expect(entered).toEqual(["a", "b", "large", "small sent away", "late sent away", "next"]);
});

it("takes room as it comes: who came first gets on, whoever else has some of it, and who holds little keeps no one out", async () => {
  const room = new ByteRoom(100, 50);
  const [slow, first, second] = [room.open(), room.open(), room.open()];
  expect(await slow.take(1)).toBe(true);
  expect(await Promise.all([first.take(60), second.take(39)])).toEqual([true, true]);
  const more = [first.take(30), second.take(30)];
  expect(await slow.take(10)).toBe(true);
  slow.leave();
  // The first of those that are left, over all that there is; the other when that one has gone.
  expect(await more[0]).toBe(true);
  first.leave();
  expect(await more[1]).toBe(true);
  const late = room.open();
  expect([await late.take(31), await late.take(32)]).toEqual([true, false]);
  for (const guest of [second, late, late]) guest.leave();
  expect(await room.enter(100)).not.toBeNull();
});
