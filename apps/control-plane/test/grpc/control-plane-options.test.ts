import { afterEach, describe, expect, it } from "vitest";
import { type ControlPlaneOptions } from "../../src/index.ts";
import { controlPlaneSettings } from "../../src/process/control-plane-options.ts";

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
  ])("that cannot be right are named: %s", (name, options) => {
    expect(() => controlPlaneSettings(options as ControlPlaneOptions)).toThrow(name);
  });
});
