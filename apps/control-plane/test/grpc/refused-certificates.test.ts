import { connect } from "node:net";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { registerRequestToProto } from "@cairnjs/protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import { expiredCertificate, misspelledCertificate, strangerCertificate } from "../support/refused-certificates.ts";
import { billingCertificate, testCertificate, testKey, workerCertificate } from "../support/test-certificate.ts";
import { openWorker } from "../support/open-worker.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { testKeyOf } from "../support/test-keys.ts";
import { ask as askGrpc, clientMethods } from "../support/test-worker.ts";

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
const tls = { key: testKey, certificate: testCertificate, clientAuthority: testCertificate };
const TOKEN = "a-token-of-the-settings";

type Pair = typeof workerCertificate;

async function opened() {
  const bed = await testBed();
  const warnings: string[] = [];
  const plane = await openPlane(bed, {
    listen,
    tls,
    httpTls: false,
    certificates: "alone",
    tokens: [{ token: TOKEN }],
    onWarning: (message, error) =>
      void warnings.push(`${message}: ${error instanceof Error ? error.message : String(error)}`),
  });
  const register = registerRequestToProto({ namespace: "default", workflows: [], actions: [] });
  const ask = (pair: Pair | null, token?: string): Promise<string> => {
    const client = new Client(
      `localhost:${plane.port}`,
      credentials.createSsl(testCertificate, pair?.key ?? null, pair?.certificate ?? null),
    );
    onTestFinished(() => client.close());
    return askGrpc(client, clientMethods.register, register, token).then(
      () => "yes",
      (error: ServiceError) => String(error.code),
    );
  };
  const url = `http://127.0.0.1:${plane.httpPort}`;
  const counts = async (): Promise<Record<string, number>> => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const lines = (await answer.text()).matchAll(/^cairn_access_refused_total\{reason="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries(
      Array.from(lines, ([, reason, count]) => [reason!, Number(count)] as const).filter(([, count]) => count > 0),
    );
  };
  return { bed, plane, warnings, ask, counts };
}

function entries(bed: TestBed): Promise<Record<string, unknown>[]> {
  return bed.query("SELECT namespace, who, key_id, action, detail, status, via FROM cairn.audit_log ORDER BY id");
}

it("certificates that are misspelled, or for another namespace than their key, are counted and written down", async () => {
  const { bed, ask, counts, warnings } = await opened();
  const media = await testKeyOf(bed, ["admin", "worker"], { namespace: "media", name: "player" });
  expect(await ask(misspelledCertificate)).toBe("Forbidden");
  expect(await ask(misspelledCertificate, TOKEN)).toBe("Forbidden");
  expect(await ask(billingCertificate, media.key)).toBe("WrongNamespace");
  expect(await counts()).toEqual({ certificate_misspelled: 2, certificate_mismatched: 1 });
  const about = { action: "workflow.register", status: 403, via: "grpc", key_id: null };
  const misspelled = { ...about, namespace: "default", detail: { why: "certificate_misspelled" } };
  expect(await entries(bed)).toEqual([
    { ...misspelled, who: "the certificate biller" },
    {
      ...misspelled,
      who: expect.stringMatching(/^the token \w{4} \(all scopes\) with the certificate biller$/) as unknown,
    },
    {
      ...about,
      namespace: "media",
      who: `the key player (${media.key.slice(6, 14)}) with the certificate biller`,
      key_id: media.id,
      detail: { namespace: "billing", why: "certificate_mismatched" },
    },
  ]);
  expect(warnings).toEqual([]);
});

it("a right token is no guess, whatever certificate it is said with; a wrong one is", async () => {
  const { ask, counts } = await opened();
  for (let n = 0; n < 25; n++) expect(await ask(misspelledCertificate, TOKEN)).toBe("Forbidden");
  expect(await ask(workerCertificate, "a guess")).toBe("Unauthenticated");
  expect(await ask(workerCertificate, TOKEN)).toBe("yes");
  expect(await ask(misspelledCertificate, "another guess")).toBe("Unauthenticated");
  expect(await counts()).toEqual({ certificate_misspelled: 25, wrong: 2 });
});

it("a worker with such a certificate says what is wrong with it, and nothing of its token", async () => {
  const { plane } = await opened();
  const worker = openWorker(plane.port, [], {
    urls: [`https://localhost:${plane.port}`],
    token: TOKEN,
    certificates: () => ({ authority: testCertificate, own: misspelledCertificate }),
  });
  await expect(worker.ended).rejects.toThrow(
    /refuses this worker: The certificate biller names a namespace that is none, or several$/,
  );
});

it("a worker without one, or with one that is not taken, says what is wanted", async () => {
  const { plane } = await opened();
  const said = async (own: Pair | null): Promise<string> => {
    const lines: string[] = [];
    openWorker(plane.port, [], {
      urls: [`https://localhost:${plane.port}`],
      certificates: () => ({ authority: testCertificate, own }),
      log: (line) => lines.push(line),
    });
    return until(async () => lines.find((line) => line.startsWith("No stream")));
  };
  expect(await said(null)).toContain("it wants a certificate of a client: CAIRN_TLS_CERT and CAIRN_TLS_KEY");
  expect(await said(expiredCertificate)).toContain("it may not take the certificate of CAIRN_TLS_CERT: it has expired");
});

it("a connection ends with the certificate that it was opened with, and nobody has another one with it", async () => {
  const { plane, counts } = await opened();
  const lines: string[] = [];
  openWorker(plane.port, [], {
    urls: [`https://localhost:${plane.port}`],
    certificates: () => ({ authority: testCertificate, own: workerCertificate }),
    log: (line) => lines.push(line),
  });
  const connections = (): number => lines.filter((line) => line.startsWith("Connected")).length;
  await until(async () => connections() === 1);
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.parse("2200-01-01"));
  onTestFinished(() => clock.mockRestore());
  await until(async () => lines.filter((line) => line.startsWith("No stream")).length > 0);
  expect(connections()).toBe(1);
  clock.mockRestore();
  await until(async () => connections() === 2);
  expect(await counts()).toEqual({});
});

it("a handshake that fails is counted by why, and warned of once a minute; who connects and leaves is nobody", async () => {
  const { plane, bed, ask, counts, warnings } = await opened();
  for (const pair of [null, null, strangerCertificate, expiredCertificate]) {
    expect(await ask(pair, TOKEN)).toBe("undefined");
  }
  const plain = connect(plane.port, "127.0.0.1", () => plain.write("GET / HTTP/1.1\r\n\r\n"));
  plain.on("error", () => {});
  const probe = connect(plane.port, "127.0.0.1", () => probe.end());
  await until(async () => (await counts())["handshake"] === 1);
  // A client may try more than once.
  const { certificate_missing, certificate_untrusted, ...others } = await counts();
  expect(certificate_missing).toBeGreaterThanOrEqual(2);
  expect(certificate_untrusted).toBeGreaterThanOrEqual(2);
  expect(others).toEqual({ handshake: 1 });
  expect(warnings).toEqual([
    expect.stringMatching(
      /^Someone was refused: it shows no certificate, and one is wanted: once, at last 127\.0\.0\.1$/,
    ),
    expect.stringMatching(/^Someone was refused: its certificate is not taken \(\w+\): once$/),
    expect.stringMatching(/^Someone was refused: no TLS could be agreed on \(\w+\): once, at last 127\.0\.0\.1$/),
  ]);
  expect(await entries(bed)).toEqual([]);
});
