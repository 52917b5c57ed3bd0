/** Where a control plane's gRPC is reached. */
export interface Address {
  /** As grpc-js takes it: host and port. */
  readonly target: string;
  readonly isSecure: boolean;
}

const PORT_DEFAULT = "50051";

/** Whether two of them are the same place: it may be written with or without a scheme. */
export function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [parseAddress(one), parseAddress(other)];
  return a !== null && b !== null && a.target === b.target && a.isSecure === b.isSecure;
}

/** `10.0.0.5:50051`, `http://…` or, for TLS, `https://…`. Null for what is none of these. */
export function parseAddress(url: string): Address | null {
  const withScheme = /^[a-z][a-z+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  const parsed = URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) return null;
  const { hostname, pathname, search, hash, username, password } = parsed;
  if (hostname === "" || pathname !== "/" || search + hash + username + password !== "") return null;
  // A URL leaves out the port that its scheme stands for.
  const given = parsed.port || (/:\d+\/?$/.test(url) ? (/:(\d+)\/?$/.exec(url)?.[1] ?? "") : "");
  return { target: `${hostname}:${given || PORT_DEFAULT}`, isSecure: parsed.protocol === "https:" };
}
