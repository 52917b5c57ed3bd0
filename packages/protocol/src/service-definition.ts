import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import type { GenService, GenServiceMethods } from "@bufbuild/protobuf/codegenv2";
import { messageFromBytes, messageToBytes } from "./message-bytes.ts";

/** What `@grpc/grpc-js` wants to know of a method, for servers and clients alike. */
export interface MethodDefinition<Input, Output> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (message: Input) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => Input;
  readonly responseSerialize: (message: Output) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Output;
  readonly originalName: string;
}

export type ServiceDefinition<Methods extends GenServiceMethods> = {
  readonly [name in keyof Methods]: MethodDefinition<
    MessageShape<Methods[name]["input"]>,
    MessageShape<Methods[name]["output"]>
  >;
};

/** A service of protobuf-es for grpc-js, which has a type of its own for it, of the same form. */
export function serviceDefinition<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
): ServiceDefinition<Methods> {
  const methods = service.methods.map((method) => [method.localName, methodDefinition(method)]);
  return Object.fromEntries(methods) as ServiceDefinition<Methods>;
}

function methodDefinition(method: DescMethod): MethodDefinition<MessageShape<DescMessage>, MessageShape<DescMessage>> {
  const { input, output, methodKind } = method;
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: methodKind === "client_streaming" || methodKind === "bidi_streaming",
    responseStream: methodKind === "server_streaming" || methodKind === "bidi_streaming",
    requestSerialize: (message) => messageToBytes(input, message),
    requestDeserialize: (bytes) => messageFromBytes(input, bytes),
    responseSerialize: (message) => messageToBytes(output, message),
    responseDeserialize: (bytes) => messageFromBytes(output, bytes),
    originalName: method.localName,
  };
}
