import {
  Client,
  type ClientDuplexStream,
  credentials,
  type handleBidiStreamingCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, it } from "vitest";
import {
  CODE_METADATA_KEY,
  type ControlPlaneFrame,
  controlPlaneFrameFromProto,
  controlPlaneFrameToProto,
  errorCodeOf,
  grpcStatusOf,
  InvalidMessage,
  pb,
  serviceDefinition,
  type WorkerFrame,
  workerFrameFromProto,
  workerFrameToProto,
} from "../src/index.ts";

const { work } = serviceDefinition(pb.WorkerService);

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

type Stream = ClientDuplexStream<pb.WorkRequest, pb.WorkResponse>;

/** A server, and how to open streams to it. */
async function serve(handler: handleBidiStreamingCall<pb.WorkRequest, pb.WorkResponse>) {
  const server = new Server();
  const implementation: UntypedServiceImplementation = { work: handler };
  server.addService({ work }, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  ended.push(
    () => client.close(),
    () => server.forceShutdown(),
  );
  return (serialize: (message: pb.WorkRequest) => Buffer = work.requestSerialize): Stream =>
    client.makeBidiStreamRequest(work.path, serialize, work.responseDeserialize);
}

const HELLO: WorkerFrame = {
  hello: {
    protocolVersion: 1,
    workerId: "w-1",
    namespace: "default",
    prefixes: ["billing."],
    actions: [],
    capacity: 10,
    language: "typescript",
    libraryVersion: "0.0.0",
  },
};
const call = {
  runId: "01890a5d-ac96-774b-bcce-b302099a8057",
  call: "3.0",
  attempt: 1,
  incarnation: "11111111-1111-4111-8111-111111111111",
};

describe("the services over grpc-js", () => {
  it("has the paths and kinds of the contract", () => {
    const { wait, start } = serviceDefinition(pb.ClientService);
    const { putBlob, getBlob } = serviceDefinition(pb.WorkerService);
    const kinds = [work, putBlob, getBlob, start, wait].map(({ path, requestStream, responseStream }) =>
      [path, requestStream, responseStream].join(" "),
    );
    expect(kinds).toEqual([
      "/cairn.v1.WorkerService/Work true true",
      "/cairn.v1.WorkerService/PutBlob true false",
      "/cairn.v1.WorkerService/GetBlob false true",
      "/cairn.v1.ClientService/Start false false",
      "/cairn.v1.ClientService/Wait true true",
    ]);
  });

  it("carry the frames of a stream both ways", async () => {
    const atControlPlane: WorkerFrame[] = [];
    const atWorker: ControlPlaneFrame[] = [];
    const answers: ControlPlaneFrame[] = [
      { welcome: { controlPlaneId: "c-1", protocolVersion: 1, controlPlanes: [], heartbeatIntervalMs: 1_000 } },
      { acknowledged: [call] },
    ];
    const open = await serve((served) => {
      served.on("data", (message: pb.WorkRequest) => {
        atControlPlane.push(workerFrameFromProto(message));
        served.write(controlPlaneFrameToProto(answers[atControlPlane.length - 1]!));
      });
      served.on("end", () => served.end());
    });
    const stream = open();
    const outcome = { ...call, kind: "result", value: { json: '"ok"' }, retry: null, durationMs: 5 } as const;
    const frames: WorkerFrame[] = [HELLO, { outcomes: [outcome], credits: { received: 1, free: 9 } }];
    stream.on("data", (message: pb.WorkResponse) => {
      atWorker.push(controlPlaneFrameFromProto(message));
      if (atWorker.length === frames.length) stream.end();
      else stream.write(workerFrameToProto(frames[atWorker.length]!));
    });
    stream.write(workerFrameToProto(frames[0]!));
    await new Promise((resolve, reject) => stream.on("end", resolve).on("error", reject));
    expect(atControlPlane).toEqual(frames);
    expect(atWorker).toEqual(answers);
  });

  it("carry the code of an error, and what is missing", async () => {
    const open = await serve((served) => {
      served.on("data", (message: pb.WorkRequest) => {
        try {
          workerFrameFromProto(message);
        } catch (error) {
          if (!(error instanceof InvalidMessage)) throw error;
          const metadata = new Metadata();
          metadata.set(CODE_METADATA_KEY, error.code);
          served.emit("error", { code: grpcStatusOf(error.code), details: error.message, metadata });
        }
      });
    });
    const stream = open();
    const failed = new Promise<ServiceError>((resolve) => stream.on("error", resolve));
    stream.on("data", () => {});
    stream.write(create(pb.WorkRequestSchema, { hello: { protocolVersion: 1 } }));
    const { code, details, metadata } = await failed;
    expect(details).toBe("hello.worker_id is missing");
    expect(errorCodeOf(code, metadata.get(CODE_METADATA_KEY)[0]?.toString())).toBe("InvalidMessage");
  });

  it("end the stream of whoever sends what cannot be read, and nobody else's", async () => {
    const open = await serve((served) => {
      served.on("data", () => served.write(controlPlaneFrameToProto({ askInFlight: true })));
    });
    const good = open();
    const garbage = open(() => Buffer.alloc(100, 0xff));
    const failed = new Promise<ServiceError>((resolve) => garbage.on("error", resolve));
    garbage.on("data", () => {});
    garbage.write(create(pb.WorkRequestSchema));
    const { code, details } = await failed;
    expect([code, details]).toEqual([status.INTERNAL, "Error deserializing request"]);
    const answered = new Promise<pb.WorkResponse>((resolve) => good.on("data", resolve));
    good.on("error", () => {});
    good.write(workerFrameToProto(HELLO));
    expect(controlPlaneFrameFromProto(await answered)).toEqual({ askInFlight: true });
  });
});
