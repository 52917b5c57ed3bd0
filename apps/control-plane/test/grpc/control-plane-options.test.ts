import { afterEach, describe, expect, it } from "vitest";
import { type ControlPlaneOptions } from "../../src/index.ts";
import { controlPlaneSettings } from "../../src/process/control-plane-options.ts";
import { warnOfExposure } from "../../src/process/exposure.ts";

/** Of the form of a key that the database has. */
const KEY = `cairn_x7k2p9qa_${"a".repeat(43)}`;

const PEM = Buffer.from("");

afterEach(() => {
  delete process.env["CAIRN_ADVERTISE_URL"];
});

describe("the options of a control plane", () => {
  it("have defaults, and the address may come from the environment", () => {
    expect(controlPlaneSettings({})).toMatchObject({
      listen: "127.0.0.1:50051",
      advertiseUrl: null,
      security: true,
      tokens: [],
      tls: null,
      httpTls: true,
      certificatesSuffice: true,
      workerHeartbeatMs: 10_000,
      noHandlerGraceMs: 10_000,
    });
    process.env["CAIRN_ADVERTISE_URL"] = "https://cairn.example:443";
    expect(controlPlaneSettings({}).advertiseUrl).toBe("https://cairn.example:443");
    expect(controlPlaneSettings({ advertiseUrl: "http://a:1" }).advertiseUrl).toBe("http://a:1");
  });

  it.each<[string, object]>([
    ["concurrency", { concurrency: 5 }],
    ["namespace", { namespace: "a" }],
    ["nothing", { nothing: 5 }],
    ["advertised", { advertiseUrl: "10.0.0.5:50051" }],
    ["advertised", { advertiseUrl: "http://a:1/path" }],
    ["token", { tokens: [{ token: "a b" }] }],
    ["workerHeartbeatMs", { workerHeartbeatMs: 0 }],
    ["noHandlerGraceMs", { noHandlerGraceMs: 1.5 }],
    ["listen.grpc", { listen: { grpc: "here" } }],
    ["listen.http", { listen: { http: "127.0.0.1:70000" } }],
    ["CAIRN_SECURITY", { security: false, listen: { grpc: "0.0.0.0:1" } }],
    ["CAIRN_SECURITY", { security: false, listen: { http: "[::]:1" } }],
    ["CAIRN_SECURITY", { security: false, listen: { grpc: "10.0.0.5:1" }, tokens: [{ token: "a" }] }],
    ["certificates", { certificates: "none" }],
    ["none are asked for: name their authority too (CAIRN_TLS_CA)", { certificates: "with-key" }],
    ["CAIRN_TLS_CLIENTS", { certificates: "alone", tls: { key: PEM, certificate: PEM } }],
    ["CAIRN_TOKENS", { tokens: [{ token: "a" }, { token: "a", namespace: "billing", scopes: ["read"] }] }],
    ["rate.perSecond", { rate: { perSecond: 0 } }],
    ["rate.burst", { rate: { burst: 1.5 } }],
    ["a key and no token (CAIRN_TOKEN, CAIRN_TOKENS)", { tokens: [{ token: KEY }] }],
    [
      "give it to commands and workers as CAIRN_KEY",
      { tokens: [{ token: "a" }, { token: KEY, namespace: "billing" }] },
    ],
    ["CAIRN_CORS_ORIGINS", { security: false, corsOrigins: ["*"] }],
  ])("that cannot be right are named: %s", (name, options) => {
    expect(() => controlPlaneSettings(options as ControlPlaneOptions)).toThrow(name);
  });

  it("let others in who say who they are, and, where nobody is asked, this machine alone", () => {
    const listen = { grpc: "0.0.0.0:1", http: "[::]:2" };
    expect(controlPlaneSettings({ listen })).toMatchObject({ listen: "0.0.0.0:1", http: { host: "::", port: 2 } });
    const local = { grpc: "[::1]:0", http: "localhost:0" };
    expect(controlPlaneSettings({ security: false, listen: local })).toMatchObject({ listen: "[::1]:0" });
  });

  it("say how much a caller may ask, as usual where they do not; where nobody is asked who he is, only if they do", () => {
    const usual = { perSecond: 500, burst: 2_000 };
    expect(controlPlaneSettings({}).rate).toEqual(usual);
    expect(controlPlaneSettings({ rate: { perSecond: 10 } }).rate).toEqual({ ...usual, perSecond: 10 });
    expect(controlPlaneSettings({ rate: { burst: 7 } }).rate).toEqual({ ...usual, burst: 7 });
    expect(controlPlaneSettings({ rate: false }).rate).toBeNull();
    expect(controlPlaneSettings({ security: false }).rate).toBeNull();
    expect(controlPlaneSettings({ security: false, rate: { burst: 7 } }).rate).toEqual({ ...usual, burst: 7 });
  });

  it("want a token with a certificate where there are tokens, unless they say otherwise", () => {
    const tokens = [{ token: "a" }];
    expect(controlPlaneSettings({ tokens }).certificatesSuffice).toBe(false);
    const tls = { key: PEM, certificate: PEM, clientAuthority: PEM };
    expect(controlPlaneSettings({ tokens, tls, certificates: "alone" }).certificatesSuffice).toBe(true);
    expect(controlPlaneSettings({ tls, certificates: "with-key" }).certificatesSuffice).toBe(false);
  });
});

describe("what is most likely a mistake is warned of", () => {
  function warned(options: ControlPlaneOptions): string[] {
    const warnings: string[] = [];
    warnOfExposure(
      controlPlaneSettings(options),
      (message, error) => void warnings.push(`${message}: ${String(error)}`),
    );
    return warnings;
  }
  const tls = { key: Buffer.from("k"), certificate: Buffer.from("c") };

  it("that others reach it without TLS, unless a proxy is there", () => {
    const listen = { grpc: "0.0.0.0:1", http: "[::]:2" };
    expect(warned({ listen })).toEqual([expect.stringContaining("gRPC and HTTP can be reached")]);
    expect(warned({ listen, httpTls: false })).toEqual([expect.stringContaining("Error: gRPC can be reached")]);
    expect(warned({ listen: { ...listen, grpc: "127.0.0.1:1" }, httpTls: false })).toEqual([]);
    expect(warned({ listen, tls })).toEqual([]);
    expect(warned({ listen, tls, httpTls: false })).toEqual([]);
    expect(warned({ listen: { grpc: "[::1]:1", http: "localhost:2" } })).toEqual([]);
  });

  it("that a token is short", () => {
    expect(warned({ tokens: [{ token: "123456789012345" }] })).toEqual([expect.stringContaining("guessed")]);
    expect(warned({ tokens: [{ token: "1234567890123456" }] })).toEqual([]);
    expect(warned({ security: false, tokens: [{ token: "a" }] })).toEqual([]);
  });
});
