/** A port is taken, or a host is not of this machine. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
  readonly server: "gRPC" | "HTTP";

  constructor(server: "gRPC" | "HTTP", address: string, cause: unknown) {
    // Servers of gRPC say it in the middle of a sentence.
    const reason = REASONS.find(([code]) => String(cause).includes(code) || (cause as { code?: string }).code === code);
    super(`${server} cannot listen on ${address}: ${reason?.[1] ?? (cause as Error).message}`, { cause });
    this.server = server;
  }
}

const REASONS = [
  ["EADDRINUSE", "another process has this port"],
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["EACCES", "this user may not have this port"],
  ["ENOTFOUND", "there is no such host"],
] as const;

export async function listening<T>(server: "gRPC" | "HTTP", address: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw new CannotListen(server, address, error);
  }
}
