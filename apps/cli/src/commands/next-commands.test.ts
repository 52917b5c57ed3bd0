import { expect, it } from "vitest";
import { billingCertificate, testCertificate, testKey } from "../../../control-plane/test/support/test-certificate.ts";
import { nextCommands } from "./next-commands.ts";

const tls = { certificate: testCertificate, key: testKey };
const clientAuthority = testCertificate;

it("what to try next goes to this control plane, with all that it wants", () => {
  const commands = (...given: Parameters<typeof nextCommands>): string => nextCommands(...given).join("\n");
  expect(commands(50_051, {}, "127.0.0.1")).toBe(
    "CAIRN_KEY=… npx cairn worker\nCAIRN_KEY=… npx cairn run TYPE --input JSON --wait",
  );
  expect(commands(7_000, { security: false }, "0.0.0.0")).toBe(
    "npx cairn worker --url 127.0.0.1:7000\nnpx cairn run TYPE --input JSON --wait --url 127.0.0.1:7000",
  );
  expect(commands(50_051, { security: false }, "10.0.0.5")).toContain("npx cairn worker --url 10.0.0.5:50051\n");
  expect(commands(50_051, { security: false }, "::")).toContain("npx cairn worker\n");
  expect(commands(50_051, { security: false }, "fd00::1")).toContain("npx cairn worker --url [fd00::1]:50051\n");
  // Where TLS is spoken the address says so, by a name that the certificate has.
  expect(commands(50_051, { tls }, "127.0.0.1")).toContain(
    "CAIRN_KEY=… CAIRN_TLS_CA=… npx cairn worker --url https://127.0.0.1:50051\n",
  );
  expect(commands(50_051, { tls }, "10.0.0.5")).toContain("npx cairn worker --url https://localhost:50051\n");
  expect(commands(50_051, { tls: { ...tls, ...billingCertificate } }, "127.0.0.1")).toContain("--url https://biller:");
  // A certificate of a client, which may be enough.
  const both = { tls: { ...tls, clientAuthority }, tokens: [{ token: "t" }] };
  const certified = "CAIRN_TLS_CA=… CAIRN_TLS_CERT=… CAIRN_TLS_KEY=… npx cairn worker --url https://";
  expect(commands(50_051, both, "127.0.0.1")).toContain(`CAIRN_KEY=… ${certified}`);
  for (const alone of [
    { ...both, tokens: [] },
    { ...both, certificates: "alone" as const },
  ]) {
    expect(commands(50_051, alone, "127.0.0.1").startsWith(certified)).toBe(true);
  }
});
