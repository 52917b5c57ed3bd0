import { fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { pb, serviceDefinition, workerFrameToProto } from "@cairnjs/protocol";

const STREAMS = 1_000;
const ACTIONS = 20;
const IDLE_MS = 10_000;

const { work } = serviceDefinition(pb.WorkerService);

/** What a control plane takes for streams of workers that have nothing to do, each with a connection of its own. */
export async function streams() {
  const plane = fork("bench/streams/plane.mjs", { execArgv: ["--expose-gc"] });
  const heard = () => new Promise((resolve) => plane.once("message", resolve));
  const { port } = await heard();
  const ask = () => {
    const answer = heard();
    plane.send("measure");
    return answer;
  };
  const idle = async () => {
    const before = await ask();
    await delay(IDLE_MS);
    return ((await ask()).cpuMs - before.cpuMs) / (IDLE_MS / 1_000);
  };
  const cpuWithout = await idle();
  const before = await ask();
  const clients = [];
  for (let index = 0; index < STREAMS; index++) clients.push(await connect(port, index));
  const after = await ask();
  const cpuWith = await idle();
  for (const { client, stream } of clients) {
    stream.cancel();
    client.close();
  }
  plane.send("close");
  await new Promise((resolve) => plane.on("exit", resolve));
  const each = (bytes) => `${(bytes / STREAMS / 1024).toFixed(1)} KB`;
  return [
    { label: `${STREAMS} idle streams: memory of each, heap`, value: each(after.heapUsed - before.heapUsed) },
    { label: `${STREAMS} idle streams: memory of each, process`, value: each(after.rss - before.rss) },
    { label: "processor time of a second, without any", value: `${cpuWithout.toFixed(1)} ms` },
    {
      label: `${STREAMS} idle streams: of each, in a second`,
      value: `${(((cpuWith - cpuWithout) / STREAMS) * 1_000).toFixed(1)} µs`,
    },
  ];
}

async function connect(port, index) {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
  const stream = client.makeBidiStreamRequest(work.path, work.requestSerialize, work.responseDeserialize);
  stream.on("error", () => {});
  const welcomed = new Promise((resolve) => stream.once("data", resolve));
  stream.write(workerFrameToProto({ hello: helloOf(index) }));
  await welcomed;
  stream.on("data", () => {});
  stream.write(workerFrameToProto({ inFlight: { calls: [], more: false }, credits: { received: 0, free: 10 } }));
  return { client, stream };
}

function helloOf(index) {
  const nothing = { inputSchema: null, retry: null, heartbeatTimeoutMs: null };
  const actions = Array.from({ length: ACTIONS }, (_, action) => ({
    name: `bench.${action}`,
    ...nothing,
    isolate: "none",
  }));
  const about = { protocolVersion: 1, workerId: `bench-${index}`, namespace: "default", prefixes: ["bench."] };
  return { ...about, actions, capacity: 10, language: "typescript", libraryVersion: "0.0.0" };
}
