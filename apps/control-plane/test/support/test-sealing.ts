import { randomBytes } from "node:crypto";
import type { PayloadCodec } from "cairnjs";
import { encodeCopy, sealing } from "cairnjs/host";

/** The codec of the docs, with a key of its own: it encrypts anew each time. */
export async function testCodec(): Promise<PayloadCodec> {
  process.env["PAYLOAD_KEY"] = randomBytes(32).toString("base64");
  return (await import("./sealed-codec.ts")).codec;
}

/** A value as it stands in a request. */
export async function sealedJson(codec: PayloadCodec, value: unknown): Promise<unknown> {
  return JSON.parse((await sealing((by) => encodeCopy(value, "input", by), codec)).text);
}
