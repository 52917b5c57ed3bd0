import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { action, emit, NotStorable, progress, workflow } from "./index.ts";
import { liftedStep } from "./step.ts";

class Connection {}

const CULPRITS: readonly (readonly [string, unknown, string])[] = [
  ["a stream", Readable.from([]), "it is a stream, an instance of Readable. Open it in the action that reads it"],
  ["a web stream", new Response("x").body, "it is a stream, an instance of ReadableStream."],
  ["a function", function convert() {}, "it is the function convert. Pass data, and call the function"],
  ["a promise", Promise.resolve(1), "it is a promise. Await it first."],
  ["an instance", new Connection(), "it is an instance of the class Connection without a codec. Pass a plain object"],
  ["a symbol", Symbol("s"), "it is the symbol Symbol(s). Use a string."],
  ["a WeakMap", new WeakMap(), "it is a WeakMap. Use a Map or a Set."],
];

describe.each(CULPRITS)("%s", (_, culprit, text) => {
  const order = { items: [0, 1, 2, { stream: culprit }] };

  it("as part of an argument rejects the call with the path to it", async () => {
    const take = action("take", async (_to: string, _order: unknown) => {});
    const error: unknown = await take("ada", order).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotStorable);
    expect(error).toMatchObject({
      path: "arguments[1].items[3].stream",
      message: expect.stringContaining(`arguments[1].items[3].stream cannot be stored: ${text}`),
    });
  });

  it("as part of a result, an input, a capture, an event or progress is refused in the same way", async () => {
    const give = action("give", async () => order);
    await expect(give()).rejects.toMatchObject({ path: "result.items[3].stream" });
    const flow = workflow("flow", async (_input: unknown) => {});
    await expect(flow(order)).rejects.toMatchObject({ path: "input.items[3].stream" });
    await expect(flow.start(order)).rejects.toMatchObject({ path: "input.items[3].stream" });
    const lifted = liftedStep(
      "use",
      async () => 1,
      () => ({ order }),
    );
    await expect(lifted).rejects.toMatchObject({ path: "order.items[3].stream" });
    const tell = workflow("tell", async () => {
      expect(() => emit("order.taken.v1", order)).toThrow("data.items[3].stream cannot be stored");
      expect(() => progress(order)).toThrow("value.items[3].stream cannot be stored");
    });
    await tell();
  });
});
