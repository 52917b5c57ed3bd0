import { ReflectionService } from "@grpc/reflection";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { pb } from "@cairnjs/protocol";

/** Of what was generated: the service wants a package as `proto-loader` makes it, and looks at its files alone. */
export function reflection(): ReflectionService {
  const files = [pb.file_cairn_v1_calls, pb.file_cairn_v1_client, pb.file_cairn_v1_worker];
  const fileDescriptorProtos = files.map(({ proto }) => Buffer.from(toBinary(FileDescriptorProtoSchema, proto)));
  const format = "Protocol Buffer 3 DescriptorProto";
  const described = { "cairn.v1": { format, type: {}, fileDescriptorProtos } };
  return new ReflectionService(described as unknown as ConstructorParameters<typeof ReflectionService>[0]);
}
