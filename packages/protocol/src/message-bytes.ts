import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { InvalidMessage } from "./convert/invalid-message.ts";

export function messageToBytes<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Buffer {
  const { buffer, byteOffset, byteLength } = toBinary(schema, message);
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Fields of later versions are left behind: nobody here passes a message on. Whatever cannot be read is refused alike. */
export function messageFromBytes<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> {
  try {
    return fromBinary(schema, bytes, { readUnknownFields: false });
  } catch (error) {
    throw new InvalidMessage(schema.typeName, `cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
