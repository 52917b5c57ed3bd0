import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerCredentials } from "@grpc/grpc-js";
import { action } from "cairnjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSettings } from "../src/index.ts";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane, testWorker } from "./support/test-worker.ts";
import { until } from "./support/until.ts";

action("default.echo", async (value: unknown) => value);

const pem = (name: string): Buffer => readFileSync(new URL(`./fixtures/tls/${name}`, import.meta.url));
const authority = pem("ca.pem");
const own = { certificate: pem("worker.pem"), key: pem("worker.key") };

/** It wants certificates. */
const secured = () =>
  fakeControlPlane({
    credentials: ServerCredentials.createSsl(
      authority,
      [{ cert_chain: pem("server.pem"), private_key: pem("server.key") }],
      true,
    ),
  });

describe("a control plane behind TLS that wants certificates", () => {
  it("is spoken with by a worker that has one", async () => {
    const fake = await secured();
    testWorker(`https://127.0.0.1:${fake.port}`, { certificates: () => ({ authority, own }) });
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
    const worker = testWorker(`https://127.0.0.1:${fake.port}`, { certificates: () => certificates });
    await until(() => worker.lines.length > 0);
    expect(worker.lines[0]).toContain(`No stream to https://127.0.0.1:${fake.port}: `);
    expect(worker.lines[0]).toContain(why);
    expect(worker.lines[0]).not.toContain("http://");
    expect(fake.streams).toEqual([]);
  });
});

it("certificates are read for each connection: those that are replaced on disk are shown, once they fit their keys", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const put = (name: "certificate" | "key", from: string): string => {
    writeFileSync(join(folder, name), pem(from));
    return join(folder, name);
  };
  const CAIRN_TLS_CA = join(folder, "ca");
  writeFileSync(CAIRN_TLS_CA, authority);
  const [CAIRN_TLS_CERT, CAIRN_TLS_KEY] = [put("certificate", "stranger.pem"), put("key", "stranger.key")];
  const { certificates } = readSettings({ CAIRN_TLS_CA, CAIRN_TLS_CERT, CAIRN_TLS_KEY }, 1);
  const fake = await secured();
  const { lines } = testWorker(`https://127.0.0.1:${fake.port}`, { certificates });
  await until(() => lines.some((line) => line.includes("it may not take the certificate of CAIRN_TLS_CERT")));
  put("certificate", "worker.pem");
  await until(() => lines.some((line) => line.includes("The certificates cannot be used: ")));
  rmSync(CAIRN_TLS_KEY);
  await until(() => lines.some((line) => line.includes("CAIRN_TLS_KEY is the path of a file in PEM")));
  put("key", "worker.key");
  await fake.stream();
});

describe("a worker that was given https:// alone", () => {
  const credentials = () =>
    ServerCredentials.createSsl(null, [{ cert_chain: pem("server.pem"), private_key: pem("server.key") }], false);
  const certificates = () => ({ authority, own: null });

  it("sends its key to no address without TLS that it is told of, and says so once", async () => {
    const plain = await fakeControlPlane({ id: "c-2" });
    const secure = await fakeControlPlane({ credentials: credentials(), welcome: { controlPlanes: [plain.address] } });
    const worker = testWorker(`https://127.0.0.1:${secure.port}`, { token: "secret", certificates });
    const stream = await secure.stream();
    for (let told = 0; told < 3; told++) stream.send({ controlPlanes: [plain.address] });
    stream.send({ dispatches: [dispatchOf("default.echo", ["later"])] });
    await until(() => stream.outcomes.length === 1);
    expect(worker.lines.filter((line) => line.includes("c-2"))).toEqual([
      `The control plane c-2 is not connected to at "${plain.url}": it speaks no TLS there, and this worker was given https:// addresses alone`,
    ]);
    expect([plain.tokens, plain.streams, plain.registered]).toEqual([[], [], []]);
    expect(secure.tokens).toEqual(["Bearer secret"]);
  });

  it("goes there if it was given an address without TLS too", async () => {
    const told = await fakeControlPlane({ id: "c-3" });
    const secure = await fakeControlPlane({ credentials: credentials(), welcome: { controlPlanes: [told.address] } });
    const given = await fakeControlPlane({ id: "c-2" });
    testWorker(given.url, { urls: [`https://127.0.0.1:${secure.port}`, given.url], certificates });
    await told.stream();
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
      certificates: () => ({ authority, own }),
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
