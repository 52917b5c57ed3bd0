/** The messages and services as they were generated; nouns of the same names are in `@cairnjs/schemas`. */
import "./text-encoding.ts";

export * from "./gen/cairn/v1/calls_pb.ts";
export * from "./gen/cairn/v1/client_pb.ts";
export * from "./gen/cairn/v1/worker_pb.ts";
