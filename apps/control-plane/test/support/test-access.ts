import { RequestLimits } from "../../src/http/guard/request-limits.ts";
import { Access, type AccessOptions } from "../../src/access/access.ts";

/** Whom it knows by its settings alone: there is no database that could know others. */
export function testAccess(options: Partial<AccessOptions>): Access {
  const client = {
    query: () => Promise.reject(new Error("nobody is to be asked")),
  } as unknown as AccessOptions["client"];
  return new Access({ security: true, tokens: [], certificatesSuffice: false, client, warn: () => {}, ...options });
}

export function noLimits(): RequestLimits {
  return new RequestLimits(null, () => 0);
}
