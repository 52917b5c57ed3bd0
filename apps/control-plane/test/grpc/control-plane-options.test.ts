import { afterEach, describe, expect, it } from "vitest";
import { type ControlPlaneOptions } from "../../src/index.ts";
import { controlPlaneSettings } from "../../src/process/control-plane-options.ts";

const PEM = Buffer.from("");

afterEach(() => {
  delete process.env["CAIRN_ADVERTISE_URL"];
});

describe("the options of a control plane", () => {
  it("have defaults, and the address may come from the environment", () => {
    expect(controlPlaneSettings({})).toMatchObject({
      listen: "127.0.0.1:50051",
      advertiseUrl: null,
      tokens: null,
      tls: null,
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
    ["CAIRN_TOKEN", { listen: { grpc: "0.0.0.0:1" } }],
    ["CAIRN_TOKEN", { listen: { http: "[::]:1" } }],
    ["CAIRN_TOKEN", { listen: { grpc: "10.0.0.5:1" } }],
    ["CAIRN_TOKEN", { listen: { http: "[::]:1" }, tls: { key: PEM, certificate: PEM, clientAuthority: PEM } }],
  ])("that cannot be right are named: %s", (name, options) => {
    expect(() => controlPlaneSettings(options as ControlPlaneOptions)).toThrow(name);
  });

  it("may let others in who say who they are: by a token, or over gRPC by a certificate", () => {
    const listen = { grpc: "0.0.0.0:1", http: "[::]:2" };
    const said = { listen: "0.0.0.0:1", http: { host: "::", port: 2 } };
    expect(controlPlaneSettings({ listen, tokens: [{ token: "a" }] })).toMatchObject(said);
    const tls = { key: PEM, certificate: PEM, clientAuthority: PEM };
    expect(controlPlaneSettings({ listen: { ...listen, http: "127.0.0.1:2" }, tls })).toMatchObject({
      listen: "0.0.0.0:1",
    });
    expect(controlPlaneSettings({ listen: { grpc: "[::1]:0", http: "localhost:0" } })).toMatchObject({
      listen: "[::1]:0",
    });
  });
});
