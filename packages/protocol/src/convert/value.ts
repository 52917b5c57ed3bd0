import { create } from "@bufbuild/protobuf";
import { BlobRef, InlineJson, InlineText, type LongText, type Value } from "@cairnjs/schemas";
import * as pb from "../pb.ts";
import { InvalidMessage, numberOf, present, required } from "./invalid-message.ts";

const { digest: Digest, bytes: Bytes } = BlobRef.shape;

export function blobRefFromProto(message: pb.BlobRef | undefined, path = "blob"): BlobRef {
  const { digest, sizeBytes } = present(message, path);
  return {
    digest: required(Digest, digest, path, "digest"),
    bytes: required(Bytes, numberOf(sizeBytes), path, "size_bytes"),
  };
}

export function blobRefToProto({ digest, bytes }: BlobRef): pb.BlobRef {
  return create(pb.BlobRefSchema, { digest, sizeBytes: BigInt(bytes) });
}

export function valueFromProto(message: pb.Value | undefined, path = "value"): Value {
  const { content } = present(message, path);
  if (content.case === "json") return { json: required(InlineJson, content.value, path, "json") };
  if (content.case === "blob") return { blob: blobRefFromProto(content.value, `${path}.blob`) };
  throw new InvalidMessage(`${path}.content`, "is missing: give json or blob");
}

export function valueToProto(value: Value): pb.Value {
  return create(pb.ValueSchema, {
    content:
      "json" in value ? { case: "json", value: value.json } : { case: "blob", value: blobRefToProto(value.blob) },
  });
}

export function optionalValueFromProto(message: pb.Value | undefined, path: string): Value | null {
  return message === undefined ? null : valueFromProto(message, path);
}

/** To be spread into a message: a field that is not said is not there. */
export function optionalValueToProto<Name extends string>(
  name: Name,
  value: Value | null,
): { [key in Name]?: pb.Value } {
  return value === null ? {} : ({ [name]: valueToProto(value) } as { [key in Name]: pb.Value });
}

export function longTextFromProto(message: pb.LongText | undefined, path = "text"): LongText {
  const { content } = present(message, path);
  if (content.case === "text") return { text: required(InlineText, content.value, path, "text") };
  if (content.case === "blob") return { blob: blobRefFromProto(content.value, `${path}.blob`) };
  throw new InvalidMessage(`${path}.content`, "is missing: give text or blob");
}

export function longTextToProto(text: LongText): pb.LongText {
  return create(pb.LongTextSchema, {
    content: "text" in text ? { case: "text", value: text.text } : { case: "blob", value: blobRefToProto(text.blob) },
  });
}
