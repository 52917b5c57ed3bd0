import { readFileSync } from "node:fs";
import { ENGINE_ERROR_CODES, ERROR_CODES, PROTOCOL_ERROR_CODES } from "@cairnjs/schemas";
import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { ERROR_TABLE, errorCodeOf, GRPC_STATUS, grpcStatusOf } from "../src/index.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("the table of error codes", () => {
  it("has each code of the engine's EngineError, and each of the protocol's own", () => {
    expect(Object.keys(ERROR_TABLE).sort()).toEqual([...ENGINE_ERROR_CODES, ...PROTOCOL_ERROR_CODES].sort());
  });

  it("has the numbers of gRPC", () => {
    for (const [name, number] of Object.entries(GRPC_STATUS)) expect(status[number]).toBe(name);
  });

  it("is the one of docs/protocol.md", () => {
    const rows = [...read("docs/protocol.md").matchAll(/^\| `(\w+)` \| `(\w+)` \| (\d+) \| (yes|no) \|/gm)];
    const documented = rows.map(([, code, name, http, again]) => [
      code,
      { status: name, http: Number(http), again: again === "yes" },
    ]);
    expect(Object.fromEntries(documented)).toEqual(ERROR_TABLE);
  });

  it("leads there and back", () => {
    for (const code of ERROR_CODES) expect(errorCodeOf(grpcStatusOf(code), code)).toBe(code);
    expect(errorCodeOf(status.UNAVAILABLE, undefined)).toBe("Unavailable");
    expect(errorCodeOf(status.INTERNAL, undefined)).toBeNull();
    expect(errorCodeOf(status.NOT_FOUND, "OfALaterVersion")).toBeNull();
  });
});
