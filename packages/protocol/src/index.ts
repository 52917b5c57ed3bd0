export { BlobAssembly, blobRefOf, chunksOf } from "./blob-chunks.ts";
export * from "./convert/call.ts";
export {
  type ControlPlaneFrame,
  controlPlaneFrameFromProto,
  controlPlaneFrameToProto,
  type WorkerFrame,
  workerFrameFromProto,
  workerFrameToProto,
} from "./convert/frames.ts";
export { InvalidMessage } from "./convert/invalid-message.ts";
export * from "./convert/registered.ts";
export * from "./convert/requests.ts";
export * from "./convert/run.ts";
export { blobRefFromProto, blobRefToProto, valueFromProto, valueToProto } from "./convert/value.ts";
export * from "./convert/worker.ts";
export { CODE_METADATA_KEY, ERROR_TABLE, errorCodeOf, GRPC_STATUS, grpcStatusOf, httpStatusOf } from "./error-table.ts";
export * from "./nouns.ts";
export { inFrames } from "./frame-size.ts";
export { messageFromBytes, messageToBytes } from "./message-bytes.ts";
export * as pb from "./pb.ts";
export { MIN_PROTOCOL_VERSION, type Peer, PROTOCOL_VERSION, protocolProblem } from "./protocol-version.ts";
export { type MethodDefinition, type ServiceDefinition, serviceDefinition } from "./service-definition.ts";
