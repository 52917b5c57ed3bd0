import { request } from "node:https";
import type { TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import { testCertificate, testKey, workerCertificate } from "../support/test-certificate.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed } from "../support/test-engine.ts";

const tls = { key: testKey, certificate: testCertificate };
const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };

interface Answer {
  readonly status: number | undefined;
  readonly cookie: string | undefined;
  /** Whose certificate it was. */
  readonly shown: unknown;
}

function ask(port: number, method: string, path: string, body?: object): Promise<Answer> {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  // Whose it is is looked at below; for a server it need not be good.
  const options = { host: "127.0.0.1", port, method, path, headers, rejectUnauthorized: false, agent: false as const };
  return new Promise((resolve, reject) => {
    const asked = request(options, (response) => {
      const shown = (response.socket as TLSSocket).getPeerCertificate().subject.CN;
      const [cookie] = response.headers["set-cookie"] ?? [];
      response.resume().on("end", () => resolve({ status: response.statusCode, cookie, shown }));
    });
    asked.on("error", reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

it("HTTP speaks TLS with the certificate of gRPC, which may change; cookies are for TLS alone then", async () => {
  const plane = await openPlane(await testBed(), { listen, tls, tokens: [{ token: "t" }] });
  const port = plane.httpPort!;
  expect(await ask(port, "GET", "/health")).toMatchObject({ status: 200, shown: "localhost" });
  expect(await ask(port, "POST", "/v1/login", { key: "t" })).toMatchObject({
    status: 200,
    cookie: expect.stringMatching(/^__Host-cairn_session=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
  });
  plane.renewCertificates(workerCertificate);
  expect(await ask(port, "GET", "/health")).toMatchObject({ status: 200, shown: "worker-7" });
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow("fetch failed");
});

it("HTTP speaks none behind a proxy; a certificate that does not fit its key is refused", async () => {
  const plane = await openPlane(await testBed(), { listen, tls, httpTls: false });
  expect((await fetch(`http://127.0.0.1:${plane.httpPort}/health`)).status).toBe(200);
  await expect(
    openPlane(await testBed(), { listen, tls: { ...tls, key: workerCertificate.key } }),
  ).rejects.toMatchObject({
    code: "InvalidOption",
    message: expect.stringContaining("cannot be used with its key"),
  });
});
