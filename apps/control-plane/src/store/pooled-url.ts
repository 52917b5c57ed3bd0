/**
 * Whether a pooler that shares sessions stands before the database is part of the database's address, as in Prisma's
 * URLs: so all who have the address know it, in every thread. Nobody else reads this parameter.
 */
export function isPooled(url: string): boolean {
  return /[?&]pgbouncer=true(&|$)/.test(url);
}

export function pooledUrl(url: string): string {
  return isPooled(url) ? url : `${url}${url.includes("?") ? "&" : "?"}pgbouncer=true`;
}
