import { expect, it } from "vitest";
import { ANYONE, NotAllowed } from "../../src/access/caller.ts";
import type { AuditLog } from "../../src/audit/audit-log.ts";
import { writeDown, writeRefusal } from "../../src/grpc/audited-call.ts";

it("an entry has the address of who asked as REST says it, without the port", async () => {
  const addresses: unknown[] = [];
  const audit = { write: async ({ address }: { address: string }) => addresses.push(address) } as unknown as AuditLog;
  for (const peer of ["127.0.0.1:53184", "::1:53184", "[::1]:53184"]) {
    const call = { getPeer: () => peer, getPath: () => "/cairn.v1.ClientService/Cancel" };
    await writeDown(audit, ANYONE, call, { action: "run.cancel", namespace: "default", detail: {} });
    await writeRefusal(audit, call, new NotAllowed("Forbidden", "No", ANYONE));
  }
  expect(addresses).toEqual(["127.0.0.1", "127.0.0.1", "::1", "::1", "::1", "::1"]);
});
