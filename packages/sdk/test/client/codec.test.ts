import { expect, it } from "vitest";
import { createClient, type PayloadCodec, sealed, SealedUnread } from "../../src/client/index.ts";
import { encodeThrown } from "../../src/copy.ts";

const url = "http://127.0.0.1:9";
const broken: PayloadCodec = {
  encode: (bytes) => {
    throw new RangeError(`No key for ${new TextDecoder().decode(bytes)}`);
  },
  decode: (bytes) => bytes,
};

it("a codec that is none is refused when the client is made", () => {
  for (const codec of [{}, { encode: broken.encode }, { decode: broken.decode }, "aes"]) {
    expect(() => createClient({ url, codec: codec as PayloadCodec }), JSON.stringify(codec)).toThrow(
      "codec has the functions encode and decode",
    );
  }
  createClient({ url, codec: undefined });
});

it("what a codec throws is the cause of the error, for whoever has it in hand; its message quotes nothing", async () => {
  const error: unknown = await createClient({ url, codec: broken })
    .start("billing.pay", sealed("hunter2"))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SealedUnread);
  expect(error).toMatchObject({ message: "encode of the codec for sealed values has thrown an error (RangeError)" });
  // Such as by an action that has a client.
  for (const thrown of [error, new Error("The payment failed", { cause: error })]) {
    expect(encodeThrown(thrown).text).toContain("has thrown an error");
    expect(encodeThrown(thrown).text).not.toContain("hunter2");
  }
  expect((error as Error).cause).toMatchObject({ name: "RangeError", message: 'No key for "hunter2"' });
});
