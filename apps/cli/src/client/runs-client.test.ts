import { pb, serviceDefinition, startRequestFromProto, startResponseToProto } from "@cairnjs/protocol";
import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, status } from "@grpc/grpc-js";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { RestClient } from "../rest/rest-client.ts";
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
    certificates: () => ({ authority: null, own: null }),
  });
  onTestFinished(() => client.close());
  expect(await client.start("a.b", "1", null)).toEqual({ kind: "existed", id: ids[0] });
  expect(ids).toEqual([ids[0], ids[0], ids[0]]);
});

/** Answers whatever is said first with these bytes, and ends. */
async function answering(bytes: readonly number[]): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.from(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("whoever cannot agree on TLS is told why, over gRPC and REST", async () => {
  const cases = [
    // Alerts of TLS: what is wrong, in two bytes.
    [[0x15, 3, 3, 0, 2, 2, 116], "it wants a certificate of a client: CAIRN_TLS_CERT and CAIRN_TLS_KEY"],
    [[0x15, 3, 3, 0, 2, 2, 45], "the certificate of CAIRN_TLS_CERT has expired"],
    [[...Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")], "what answers there does not speak TLS: write http://"],
  ] as const;
  await Promise.all(
    cases.map(async ([bytes, why]) => {
      const url = await answering(bytes);
      const certificates = () => ({ authority: null, own: null });
      const client = new RunsClient({ urls: [url], namespace: "default", token: null, certificates });
      onTestFinished(() => client.close());
      const said = `No control plane answers at ${url}: ${why}`;
      await expect(client.start("a.b", "1", null)).rejects.toThrow(said);
      await expect(new RestClient({ CAIRN_API_URL: url }).get("/me")).rejects.toThrow(said);
    }),
  );
});
