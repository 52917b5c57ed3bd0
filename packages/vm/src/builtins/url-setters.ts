import { unsupported } from "../machine/host.ts";
import { parseHost } from "./url-host.ts";
import { parsePath, portColon, setQuery, withoutTabs } from "./url-parser.ts";
import { FRAGMENT_SET, USERINFO_SET, percentEncode } from "./url-percent.ts";
import { type UrlRecord, defaultPort, isSpecial } from "./url-record.ts";

/**
 * Assignments to parts of a URL, as Node 20 carries them out: a value that does not fit leaves the URL as it
 * is, without an error. Each changes the record it is given.
 */
export const urlSetters = {
  protocol(url: UrlRecord, value: string): void {
    const match = /^([A-Za-z][A-Za-z0-9+.-]*)(?::|$)/.exec(withoutTabs(value));
    if (match === null) return;
    const scheme = match[1]!.toLowerCase();
    if (isSpecial(scheme) !== isSpecial(url.scheme)) return;
    if (scheme === "file" && (hasCredentials(url) || url.port !== null)) return;
    if (url.scheme === "file" && url.host === "") return;
    url.scheme = scheme;
    // To Node 20 the default port of a scheme of one's own is 0.
    if (url.port === (defaultPort(scheme) ?? 0)) url.port = null;
  },

  username(url: UrlRecord, value: string): void {
    if (!cannotHaveCredentials(url)) url.username = percentEncode(value, USERINFO_SET);
  },

  password(url: UrlRecord, value: string): void {
    if (!cannotHaveCredentials(url)) url.password = percentEncode(value, USERINFO_SET);
  },

  host(url: UrlRecord, value: string): void {
    setHost(url, value, true);
  },

  hostname(url: UrlRecord, value: string): void {
    setHost(url, value, false);
  },

  port(url: UrlRecord, value: string): void {
    setPort(url, value);
  },

  pathname(url: UrlRecord, value: string): void {
    if (url.opaque) return;
    const special = isSpecial(url.scheme);
    const text = withoutTabs(value);
    url.path = "";
    if (text === "" && !special) {
      if (url.host === null) url.path = "/";
      return;
    }
    parsePath(url, text.startsWith("/") || (special && text.startsWith("\\")) ? text.slice(1) : text);
    // Node 20 loses query and fragment here, and its process dies on some later assignments.
    if (url.host === null && url.path.startsWith("//") && (url.query !== null || url.fragment !== null)) {
      unsupported("a pathname that starts with '//' in a URL without host");
    }
  },

  search(url: UrlRecord, value: string): void {
    if (value === "") {
      url.query = null;
      stripOpaqueSpaces(url);
    } else {
      // The mark is looked for before tabs are removed: "\t?a" keeps it.
      setQuery(url, withoutTabs(value.startsWith("?") ? value.slice(1) : value));
    }
  },

  hash(url: UrlRecord, value: string): void {
    if (value === "") {
      url.fragment = null;
      stripOpaqueSpaces(url);
    } else {
      url.fragment = percentEncode(withoutTabs(value.startsWith("#") ? value.slice(1) : value), FRAGMENT_SET);
    }
  },
} as const satisfies Record<string, (url: UrlRecord, value: string) => void>;

function setHost(url: UrlRecord, value: string, withPort: boolean): void {
  if (url.opaque) return;
  const special = isSpecial(url.scheme);
  const text = withoutTabs(value.split("#", 1)[0]!);
  if (url.scheme === "file") {
    setFileHost(url, text.split(/[/\\?]/, 1)[0]!);
    return;
  }
  const end = text.search(special ? /[/\\?]/ : /[/?]/);
  const authority = end < 0 ? text : text.slice(0, end);
  const colon = portColon(authority);
  const hostText = colon < 0 ? authority : authority.slice(0, colon);
  const portBefore = url.port;
  if (colon >= 0) {
    if (!withPort) return;
    // Node 20 then holds a port without a host, which no parser accepts, and dies on the next assignment.
    if (hostText === "" && !special) unsupported("a port without a host");
    // The port is set first, while the URL may have no host to carry one, and from all that follows the colon.
    if (colon + 1 < text.length) setPort(url, text.slice(colon + 1));
  } else if (hostText === "" && (special || hasCredentials(url) || url.port !== null)) {
    return;
  }
  if (hostText === "" && !special) {
    if (url.host !== null || url.path.startsWith("//")) url.host = "";
    return;
  }
  const host = hostText === "" ? null : parseHost(hostText, !special);
  if (host === null) url.port = portBefore;
  else url.host = host;
}

function setFileHost(url: UrlRecord, text: string): void {
  const host = text === "" ? "" : parseHost(text, false);
  if (host !== null) url.host = host === "localhost" ? "" : host;
}

/** The digits at the start count; when there are digits, but none at the start, the port goes. */
function setPort(url: UrlRecord, value: string): void {
  if (cannotHaveCredentials(url)) return;
  const text = withoutTabs(value);
  if (text === "") {
    url.port = null;
    return;
  }
  if (text.charCodeAt(0) <= 0x20 || text.startsWith("-") || !/\d/.test(text)) return;
  const digits = /^\d+/.exec(text)?.[0];
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && port > 65535) return;
  url.port = port === defaultPort(url.scheme) ? null : port;
}

function hasCredentials(url: UrlRecord): boolean {
  return url.username !== "" || url.password !== "";
}

function cannotHaveCredentials(url: UrlRecord): boolean {
  return url.host === null || url.host === "" || url.scheme === "file";
}

/** Without a query or fragment behind it, a space at the end could not be parsed back. */
function stripOpaqueSpaces(url: UrlRecord): void {
  if (!url.opaque || url.query !== null || url.fragment !== null) return;
  let end = url.path.length;
  while (end > 0 && url.path[end - 1] === " ") end--;
  url.path = url.path.slice(0, end);
}
