import type { Scope } from "@cairnjs/schemas";
import { makeKey } from "../../src/access/api-keys.ts";
import type { TestBed } from "./test-engine.ts";

export interface TestKey {
  readonly id: string;
  readonly key: string;
}

/** A key of the test's database, as an operator makes one there. */
export async function testKeyOf(
  bed: TestBed,
  scopes: readonly Scope[],
  { namespace = null, name = "test" }: { readonly namespace?: string | null; readonly name?: string } = {},
): Promise<TestKey> {
  const { about, text } = await makeKey(bed.sql, { namespace, name, scopes, expiresAt: null }, "the test");
  return { id: about.id, key: text };
}

/** Keys that were some, and are none any more; and one that never was. */
export async function deadKeys(bed: TestBed): Promise<Readonly<Record<"wrong" | "expired" | "revoked", string>>> {
  const expired = await testKeyOf(bed, ["admin", "worker"]);
  const revoked = await testKeyOf(bed, ["admin", "worker"]);
  await bed.query("UPDATE cairn.api_keys SET expires_at = cairn.now() WHERE id = $1", expired.id);
  await bed.query("UPDATE cairn.api_keys SET revoked_at = cairn.now() WHERE id = $1", revoked.id);
  return { wrong: `cairn_abcdefgh_${"x".repeat(43)}`, expired: expired.key, revoked: revoked.key };
}
