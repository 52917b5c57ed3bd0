import { pb, serviceDefinition, startRequestFromProto, startResponseToProto } from "@cairnjs/protocol";
import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, status } from "@grpc/grpc-js";
import { expect, it, onTestFinished } from "vitest";
import { RunsClient } from "./runs-client.ts";

it("a start of which nobody knows whether it worked is made again, as the same run", async () => {
  const ids: unknown[] = [];
  const start = (
    { request }: ServerUnaryCall<pb.StartRequest, pb.StartResponse>,
    answer: sendUnaryData<pb.StartResponse>,
  ): void => {
    const [run] = startRequestFromProto(request).runs;
    ids.push((run as { readonly id?: string }).id);
    if (ids.length < 3) return answer({ code: status.UNAVAILABLE, details: "gone" });
    answer(null, startResponseToProto([{ kind: "existed", id: ids[0] as string }]));
  };
  const server = new Server();
  const { start: method } = serviceDefinition(pb.ClientService);
  server.addService({ start: method }, { start });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  const client = new RunsClient({
    urls: [`127.0.0.1:${port}`],
    namespace: "default",
    token: null,
    certificates: { authority: null, own: null },
  });
  onTestFinished(() => client.close());
  expect(await client.start("a.b", "1", null)).toEqual({ kind: "existed", id: ids[0] });
  expect(ids).toEqual([ids[0], ids[0], ids[0]]);
});
