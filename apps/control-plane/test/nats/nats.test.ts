import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { QUICK, someRunIds, untilPublished, writeEvents } from "../support/test-outbox.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { numbers, type ReceivedEvent } from "../support/test-subscriber.ts";

/** Debian's `nats-server` with JetStream, whose files outlive it. */
async function startNats(port: number, folder: string): Promise<ChildProcess> {
  const child = spawn("nats-server", ["-js", "-a", "127.0.0.1", "-p", String(port), "-sd", folder], {
    env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("Server is ready")) resolve();
    });
    child.on("exit", () => reject(new Error(`nats-server ended: ${said}`)));
    child.on("error", reject);
  });
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function stopped(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.on("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

/** What a stream has, in its order. */
async function messagesOf(url: string, stream: string) {
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  const { state } = await manager.streams.info(stream);
  const messages = [];
  for (let seq = 1; seq <= state.last_seq; seq++) messages.push((await manager.streams.getMessage(stream, { seq }))!);
  await connection.close();
  return messages.map((message) => ({
    subject: message.subject,
    id: message.header.get("Nats-Msg-Id"),
    event: message.json<ReceivedEvent>(),
  }));
}

describe("NATS JetStream", () => {
  it("has every event once, in the order of each run, also when it was away, and what comes twice is known", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ onWarning: () => {} });
    const port = await freePort();
    const url = `nats://127.0.0.1:${port}`;
    const folder = temporaryFolder("nats");
    const target = { kind: "nats" as const, url, subject: "shop" };
    await cairn.subscriptions.upsert({ name: "bus", types: ["order.*"], target, timeoutMs: 1_000, ...QUICK });
    const runs = someRunIds(10);
    for (const run of runs) await writeEvents(bed, run, [0, 1, 2]);
    const failing = async (what: RegExp) =>
      until(async () => what.test((await cairn.subscriptions.show("bus")).lastError ?? ""));
    await failing(/^NATS on nats:\/\/127\.0\.0\.1:\d+ is away: .*refused/i);
    const server = await startNats(port, folder);
    // It is there, and no stream takes the subject.
    await failing(/^No stream on nats:\/\/127\.0\.0\.1:\d+ takes shop\.order\.paid\.v1$/);
    const connection = await connect({ servers: url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: "shop", subjects: ["shop.>"] });
    await connection.close();
    await untilPublished(bed);
    await stopped(server);
    for (const run of runs) await writeEvents(bed, run, [3, 4]);
    await failing(/is away/);
    await startNats(port, folder);
    await untilPublished(bed);
    // As after a crash between sending and writing that down.
    await bed.query("UPDATE cairn.outbox_events SET passed = false, published_at = NULL WHERE run_id = $1", runs[0]!);
    await bed.query("NOTIFY cairn_outbox");
    await untilPublished(bed);
    const messages = await messagesOf(url, "shop");
    expect(messages).toHaveLength(runs.length * 5);
    for (const { subject, id, event } of messages) {
      expect(subject).toBe("shop.order.paid.v1");
      expect(id).toBe(event.id);
    }
    for (const run of runs) {
      const own = messages.filter(({ event }) => event.subject === run);
      expect(own.map(({ event }) => event.data.number)).toEqual(numbers(5));
    }
    expect(await cairn.subscriptions.show("bus")).toMatchObject({ failingSince: null, waiting: 0 });
  });
});
