import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { ServerCredentials } from "@grpc/grpc-js";
import { action } from "cairnjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane, testWorker } from "./support/test-worker.ts";
import { until } from "./support/until.ts";

action("default.echo", async (value: unknown) => value);

const pem = (name: string): Buffer => readFileSync(new URL(`./fixtures/tls/${name}`, import.meta.url));
const authority = pem("ca.pem");
const own = { certificate: pem("worker.pem"), key: pem("worker.key") };

describe("a control plane behind TLS that wants certificates", () => {
  const secured = () =>
    fakeControlPlane({
      credentials: ServerCredentials.createSsl(
        authority,
        [{ cert_chain: pem("server.pem"), private_key: pem("server.key") }],
        true,
      ),
    });

  it("is spoken with by a worker that has one", async () => {
    const fake = await secured();
    testWorker(`https://127.0.0.1:${fake.port}`, { certificates: { authority, own } });
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.echo", ["secret"])] });
    await until(() => stream.outcomes.length === 1);
  });

  // Signed by nobody whom the control plane knows.
  const stranger = { certificate: pem("stranger.pem"), key: pem("stranger.key") };
  it.each([
    ["has none", { authority, own: null }, "it wants a certificate of a client: CAIRN_TLS_CERT and CAIRN_TLS_KEY"],
    ["has one of another authority", { authority, own: stranger }, "it may not take the certificate of CAIRN_TLS_CERT"],
    ["does not know the authority", { authority: null, own }, "its certificate is not trusted"],
  ])("is not spoken with by one that %s, which says so and tries again", async (_, certificates, why) => {
    const fake = await secured();
    const worker = testWorker(`https://127.0.0.1:${fake.port}`, { certificates });
    await until(() => worker.lines.length > 0);
    expect(worker.lines[0]).toContain(`No stream to https://127.0.0.1:${fake.port}: `);
    expect(worker.lines[0]).toContain(why);
    expect(worker.lines[0]).not.toContain("http://");
    expect(fake.streams).toEqual([]);
  });
});

describe("whoever ends a handshake says why, by an alert", () => {
  /** Answers whatever is said first with these bytes, and ends. */
  async function answering(bytes: readonly number[]): Promise<string> {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(Buffer.from(bytes)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const worker = testWorker(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      certificates: { authority, own },
    });
    await until(() => worker.lines.length > 0);
    return worker.lines[0]!;
  }

  it.each([
    [116, "it wants a certificate of a client: CAIRN_TLS_CERT and CAIRN_TLS_KEY"],
    [48, "it does not know the authority of the certificate of CAIRN_TLS_CERT"],
    [45, "the certificate of CAIRN_TLS_CERT has expired"],
    [44, "the certificate of CAIRN_TLS_CERT was revoked"],
    [42, "it does not take the certificate of CAIRN_TLS_CERT"],
    [40, "it agrees on no TLS with this side. It may want a certificate of a client: CAIRN_TLS_CERT and CAIRN_TLS_KEY"],
    [70, "it speaks no version of TLS that this side speaks"],
    [120, "what answers there does not speak gRPC"],
    [80, "it has ended the handshake of TLS: tlsv1 alert internal error"],
  ])("%i", async (alert, why) => {
    // Of TLS 1.2, as all versions begin: an alert of two bytes, fatal.
    const line = await answering([0x15, 3, 3, 0, 2, 2, alert]);
    expect(line).toContain(`: ${why}`);
    expect(line).not.toContain("http://");
  });

  it("and only what is no TLS at all is that", async () => {
    const line = await answering([...Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")]);
    expect(line).toContain("what answers there does not speak TLS: write http:// instead of https://");
  });
});
