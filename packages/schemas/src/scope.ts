/** What a caller may do: `admin` includes `operate`, and that `read`; `worker` is for workers alone. */
export const SCOPES = ["read", "operate", "admin", "worker"] as const;
export type Scope = (typeof SCOPES)[number];

const INCLUDED: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ["read"],
  operate: ["operate", "read"],
  admin: ["admin", "operate", "read"],
  worker: ["worker"],
};

export function includesScope(given: readonly Scope[], wanted: Scope): boolean {
  return given.some((scope) => INCLUDED[scope].includes(wanted));
}
