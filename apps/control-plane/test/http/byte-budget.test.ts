import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { expect, it } from "vitest";
import { ByteBudget } from "../../src/http/guard/byte-budget.ts";
import { Shares } from "../../src/shares.ts";

const KB = 1024;
const of = (caller: string, namespace?: string) => ({ caller, tenant: namespace ?? caller });

/** What a budget sees of an answer. */
class Reply {
  readonly raw = Object.assign(new EventEmitter(), { destroyed: false, req: { socket: new EventEmitter() } });
  readonly headers: Record<string, unknown> = {};

  header(name: string, value: unknown): this {
    this.headers[name] = value;
    return this;
  }

  close(): void {
    this.raw.destroyed = true;
    this.raw.emit("close");
  }

  get asReply(): FastifyReply {
    return this as unknown as FastifyReply;
  }
}

function budget() {
  const bytes = new ByteBudget("large answers", { all: 1_000 * KB, ofCaller: 400 * KB });
  const hold = (who: ReturnType<typeof of>, size: number, reply = new Reply()): Reply => {
    bytes.hold(who, reply.asReply, size * KB);
    return reply;
  };
  return { bytes, hold };
}

it("there is so much for a caller, for the callers of a namespace half of all, and for all", () => {
  const shares = new Shares({ all: 10, ofCaller: 4 });
  const take = (caller: string, namespace?: string): string => {
    const usedUp = shares.usedUp(of(caller, namespace), 2);
    if (usedUp === null) shares.add(of(caller, namespace), 2);
    return usedUp ?? "taken";
  };
  expect(["a", "a", "a"].map((caller) => take(caller, "one"))).toEqual(["taken", "taken", "caller"]);
  expect(take("b", "one")).toBe("tenant");
  expect(["c", "c", "d", "d"].map((caller) => take(caller))).toEqual(["taken", "taken", "taken", "all"]);
  shares.add(of("a", "one"), -2);
  expect([take("b", "one"), take("e")]).toEqual(["taken", "all"]);
});

it("bytes are given back when the answer is over, and one that was over before holds none", () => {
  const { hold } = budget();
  const first = hold(of("a", "one"), 300);
  hold(of("a", "one"), 390, first);
  expect(() => hold(of("a", "one"), 65)).toThrow("Too many large answers of the same caller are on their way");
  expect(() => hold(of("b", "one"), 200)).toThrow("Too many large answers of the same namespace are on their way");
  hold(of("a", "one"), 64);
  const gone = new Reply();
  gone.close();
  hold(of("b", "two"), 400, gone);
  hold(of("c"), 390);
  const another = hold(of("d"), 200);
  const refused = new Reply();
  expect(() => hold(of("b", "two"), 100, refused)).toThrow("Too many large answers of this control plane");
  expect(refused.headers).toEqual({ "retry-after": 1 });
  another.close();
  first.close();
  hold(of("a", "one"), 390);
});

it("what was done is answered whatever there is, and counts", () => {
  const { bytes, hold } = budget();
  hold(of("a"), 390);
  const done = new Reply();
  bytes.keep(of("a"), done.asReply, 100 * KB);
  done.close();
  hold(of("b"), 400);
  bytes.keep(of("c"), new Reply().asReply, 390 * KB);
  expect(() => hold(of("d"), 65)).toThrow("of this control plane");
});

it("a body takes what has come of it: who says that he sends much holds nothing, who has sent it is refused more", async () => {
  const { bytes } = budget();
  const bodyOf = async function* (parts: number): AsyncGenerator<Buffer> {
    for (let part = 0; part < parts; part++) yield Buffer.alloc(100 * KB);
  };
  const read = async (who: string, parts: number, reply = new Reply()): Promise<number> => {
    let length = 0;
    const body = Readable.from(bodyOf(parts), { objectMode: false });
    for await (const part of bytes.counted(of(who), reply.asReply, body, 2_000 * KB)) length += (part as Buffer).length;
    return length;
  };
  const first = new Reply();
  expect(await read("a", 3, first)).toBe(300 * KB);
  const second = new Reply();
  await expect(read("a", 2, second)).rejects.toThrow("Too many large answers of the same caller");
  for (const reply of [first, second]) reply.close();
  // One who is alone may have one, however large.
  expect(await read("a", 12)).toBe(1_200 * KB);
});
