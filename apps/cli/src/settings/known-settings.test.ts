import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { controlPlaneOptions } from "./control-plane-settings.ts";
import { CONTROL_PLANE_SETTINGS, refuseUnknown, withFlags } from "./known-settings.ts";
import { withTables } from "./settings-page.ts";
import { nearest } from "./nearest.ts";

const page = (name: string): string => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");

describe("settings", () => {
  it("are those of docs/configuration.md; node apps/cli/scripts/generate-settings-page.mjs writes it", () => {
    expect(withTables(page("configuration.md"))).toBe(page("configuration.md"));
    expect(page("configuration.md")).toContain("| `CAIRN_LEASE_MS` | `leaseMs` | |");
  });

  it("by a flag count more than those of the environment", () => {
    const env = withFlags({ API_PORT: "1", GRPC_PORT: "2" }, CONTROL_PLANE_SETTINGS, { grpcPort: "3" });
    expect(controlPlaneOptions(env).listen).toEqual({ grpc: "127.0.0.1:3", http: "127.0.0.1:1" });
  });

  it("that are empty are none", () => {
    expect(controlPlaneOptions({ API_PORT: "", DATABASE_URL: " ", CAIRN_TOKEN: "" })).toEqual({
      listen: { grpc: "127.0.0.1:50051", http: "127.0.0.1:9000" },
    });
  });

  it("of leases are for types, or beginnings of types", () => {
    expect(controlPlaneOptions({ CAIRN_LEASES: "billing.=120000, media.encode=60000" }).leases).toEqual({
      "billing.": 120_000,
      "media.encode": 60_000,
    });
    expect(() => controlPlaneOptions({ CAIRN_LEASES: "billing." })).toThrow("CAIRN_LEASES has items such as");
  });

  it("of tokens are for all namespaces, or for the one that is named", () => {
    expect(controlPlaneOptions({ CAIRN_TOKEN: "a", CAIRN_TOKENS: "billing=b, media=c=d" }).tokens).toEqual([
      { token: "a" },
      { namespace: "billing", token: "b" },
      { namespace: "media", token: "c=d" },
    ]);
    expect(controlPlaneOptions({ CAIRN_TOKENS: "billing:read+worker=b:c,*:read=d,*=e" }).tokens).toEqual([
      { namespace: "billing", scopes: ["read", "worker"], token: "b:c" },
      { scopes: ["read"], token: "d" },
      { token: "e" },
    ]);
    for (const wrong of ["hidden", "billing:write=hidden", "billing:=hidden"]) {
      const read = (): unknown => controlPlaneOptions({ CAIRN_TOKENS: wrong });
      expect(read).toThrow("CAIRN_TOKENS has items such as billing=secret");
      expect(read).not.toThrow("hidden");
    }
  });

  it("of REST say how much may be asked, by which pages, through which proxies", () => {
    expect(controlPlaneOptions({ CAIRN_RATE_LIMIT: "0" }).rate).toBe(false);
    expect(controlPlaneOptions({ CAIRN_RATE_LIMIT: "10" }).rate).toEqual({ perSecond: 10 });
    expect(controlPlaneOptions({ CAIRN_RATE_BURST: "7" }).rate).toEqual({ burst: 7 });
    expect(controlPlaneOptions({})).not.toHaveProperty("rate");
    const lists = { CAIRN_CORS_ORIGINS: "https://a.example, *", CAIRN_TRUSTED_PROXIES: "10.0.0.0/8," };
    expect(controlPlaneOptions(lists)).toMatchObject({
      corsOrigins: ["https://a.example", "*"],
      trustedProxies: ["10.0.0.0/8"],
    });
  });

  it("that Kubernetes makes of a service called cairn are none", () => {
    refuseUnknown({
      CAIRN_SERVICE_HOST: "10.0.0.1",
      CAIRN_SERVICE_PORT: "9000",
      CAIRN_SERVICE_PORT_REST: "9000",
      CAIRN_PORT: "tcp://10.0.0.1:9000",
      CAIRN_PORT_9000_TCP: "tcp://10.0.0.1:9000",
      CAIRN_PORT_9000_TCP_PROTO: "tcp",
      CAIRN_PORT_9000_TCP_ADDR: "10.0.0.1",
      CAIRN_WORKERS_SERVICE_HOST: "10.0.0.2",
    });
    expect(() => refuseUnknown({ CAIRN_PORT: "9000" })).toThrow("there is no setting CAIRN_PORT");
  });

  it("that are unknown are refused with what may have been meant, if anything is like it", () => {
    expect(() => refuseUnknown({ CAIRN_TOKN: "1" })).toThrow(
      "there is no setting CAIRN_TOKN: did you mean CAIRN_TOKEN?",
    );
    expect(() => refuseUnknown({ CAIRN_SOMETHING_ELSE_ENTIRELY: "1" })).toThrow(/ENTIRELY$/);
    refuseUnknown({ CAIRN_TOKEN: "1", CAIRNS: "1", PATH: "/" });
    expect(nearest("abc", ["xyz"])).toBeNull();
  });
});
