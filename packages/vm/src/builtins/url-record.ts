/** A URL's parts, and the way to its text and back. The text is the URL's only stored form. */
export interface UrlRecord {
  scheme: string;
  username: string;
  password: string;
  host: string | null;
  port: number | null;
  /** As it is written: `/a/b`, or whatever stands after `mailto:` when it is opaque. */
  path: string;
  opaque: boolean;
  query: string | null;
  fragment: string | null;
}

const DEFAULT_PORTS: Readonly<Record<string, number | null>> = {
  ftp: 21,
  file: null,
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
};

export function isSpecial(scheme: string): boolean {
  return Object.hasOwn(DEFAULT_PORTS, scheme);
}

export function defaultPort(scheme: string): number | null {
  return isSpecial(scheme) ? DEFAULT_PORTS[scheme]! : null;
}

export function newRecord(scheme: string): UrlRecord {
  return {
    scheme,
    username: "",
    password: "",
    host: null,
    port: null,
    path: "",
    opaque: false,
    query: null,
    fragment: null,
  };
}

export function serialize(url: UrlRecord): string {
  let text = `${url.scheme}:`;
  if (url.host !== null) {
    text += "//";
    if (url.username !== "" || url.password !== "") {
      text += url.username;
      if (url.password !== "") text += `:${url.password}`;
      text += "@";
    }
    text += hostAndPort(url);
  } else if (!url.opaque && url.path.startsWith("//")) {
    text += "/.";
  }
  text += url.path;
  if (url.query !== null) text += `?${url.query}`;
  if (url.fragment !== null) text += `#${url.fragment}`;
  return text;
}

export function hostAndPort(url: UrlRecord): string {
  const host = url.host ?? "";
  return url.port === null ? host : `${host}:${url.port}`;
}

/** Takes a serialized URL apart: cheaper than parsing, since every part is in its final form. */
export function split(href: string): UrlRecord {
  const colon = href.indexOf(":");
  const url = newRecord(href.slice(0, colon));
  let end = href.length;
  const hash = href.indexOf("#");
  if (hash >= 0) {
    url.fragment = href.slice(hash + 1);
    end = hash;
  }
  const question = href.indexOf("?");
  if (question >= 0 && question < end) {
    url.query = href.slice(question + 1, end);
    end = question;
  }
  const rest = href.slice(colon + 1, end);
  if (rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    splitAuthority(url, slash < 0 ? rest.slice(2) : rest.slice(2, slash));
    url.path = slash < 0 ? "" : rest.slice(slash);
  } else {
    url.opaque = !rest.startsWith("/");
    url.path = rest.startsWith("/.//") ? rest.slice(2) : rest;
  }
  return url;
}

function splitAuthority(url: UrlRecord, authority: string): void {
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const credentials = authority.slice(0, at);
    const colon = credentials.indexOf(":");
    url.username = colon < 0 ? credentials : credentials.slice(0, colon);
    url.password = colon < 0 ? "" : credentials.slice(colon + 1);
  }
  const host = authority.slice(at + 1);
  const port = /:(\d+)$/.exec(host);
  url.host = port === null ? host : host.slice(0, port.index);
  url.port = port === null ? null : Number(port[1]);
}
