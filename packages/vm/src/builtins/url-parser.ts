import { unsupported } from "../machine/host.ts";
import { parseHost } from "./url-host.ts";
import {
  CONTROL_SET,
  FRAGMENT_SET,
  PATH_SET,
  QUERY_SET,
  SPECIAL_QUERY_SET,
  USERINFO_SET,
  percentEncode,
} from "./url-percent.ts";
import { type UrlRecord, defaultPort, isSpecial, newRecord } from "./url-record.ts";

/**
 * The basic URL parser of the URL standard as of Node 20 (ada 2.9). Written out instead of taken from
 * whatwg-url 16, which follows later editions (`^` in paths, spaces at the end of opaque paths) and breaks
 * characters beyond U+FFFF in credentials. Its states become functions over the text that is left.
 */
export function parseUrl(input: string, base: UrlRecord | null): UrlRecord | null {
  const { text, fragment } = cutFragment(withoutTabs(trimControls(input)));
  const url = parseBeforeFragment(text, fragment !== null, base);
  if (url !== null && fragment !== null) url.fragment = percentEncode(fragment, FRAGMENT_SET);
  return url;
}

/** The fragment starts at the first `#`, whatever stands before it. */
function cutFragment(text: string): { text: string; fragment: string | null } {
  const hash = text.indexOf("#");
  return hash < 0 ? { text, fragment: null } : { text: text.slice(0, hash), fragment: text.slice(hash + 1) };
}

function parseBeforeFragment(text: string, hasFragment: boolean, base: UrlRecord | null): UrlRecord | null {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  if (scheme === undefined) return parseWithoutScheme(text, hasFragment, base);
  const url = newRecord(scheme.toLowerCase());
  const rest = text.slice(scheme.length + 1);
  if (url.scheme === "file") return parseFile(url, rest, base);
  if (isSpecial(url.scheme)) {
    if (base !== null && base.scheme === url.scheme && !rest.startsWith("//")) return parseRelative(url, rest, base);
    return parseAuthority(url, rest.replace(/^[/\\]+/, ""));
  }
  if (rest.startsWith("//")) return parseAuthority(url, rest.slice(2));
  if (rest.startsWith("/")) return parsePathAndQuery(url, rest.slice(1));
  url.opaque = true;
  const { path, query } = cutQuery(rest);
  url.path = percentEncode(path, CONTROL_SET);
  setQuery(url, query);
  return url;
}

function parseWithoutScheme(text: string, hasFragment: boolean, base: UrlRecord | null): UrlRecord | null {
  if (base === null) return null;
  if (base.opaque) {
    if (!hasFragment) return null;
    // An error by the standard, but Node 20 joins the two in a way of its own.
    if (text !== "") unsupported(`resolving '${text}#…' against a URL of the scheme '${base.scheme}'`);
    return { ...base, fragment: null };
  }
  const url = newRecord(base.scheme);
  return base.scheme === "file" ? parseFile(url, text, base) : parseRelative(url, text, base);
}

function parseRelative(url: UrlRecord, text: string, base: UrlRecord): UrlRecord | null {
  const special = isSpecial(url.scheme);
  if (isSlash(text[0], special)) {
    if (special && isSlash(text[1], special)) return parseAuthority(url, text.replace(/^[/\\]+/, ""));
    if (text[1] === "/") return parseAuthority(url, text.slice(2));
    copyAuthority(url, base);
    return parsePathAndQuery(url, text.slice(1));
  }
  copyAuthority(url, base);
  url.path = base.path;
  return parseRelativePath(url, text, base);
}

/** What stands after the base's path was taken over: a query, nothing, or a path beside the last segment. */
function parseRelativePath(url: UrlRecord, text: string, base: UrlRecord): UrlRecord {
  if (text === "") {
    url.query = base.query;
    return url;
  }
  if (text.startsWith("?")) {
    setQuery(url, text.slice(1));
    return url;
  }
  shorten(url);
  return parsePathAndQuery(url, text);
}

function copyAuthority(url: UrlRecord, base: UrlRecord): void {
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
}

function parseAuthority(url: UrlRecord, text: string): UrlRecord | null {
  const special = isSpecial(url.scheme);
  const end = text.search(special ? /[/\\?]/ : /[/?]/);
  const authority = end < 0 ? text : text.slice(0, end);
  const rest = end < 0 ? "" : text.slice(end);
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  if (at >= 0) {
    if (host === "") return null;
    setCredentials(url, authority.slice(0, at));
  }
  return parseHostAndPort(url, host) ? parsePathStart(url, rest) : null;
}

function setCredentials(url: UrlRecord, credentials: string): void {
  const colon = credentials.indexOf(":");
  url.username = percentEncode(colon < 0 ? credentials : credentials.slice(0, colon), USERINFO_SET);
  url.password = colon < 0 ? "" : percentEncode(credentials.slice(colon + 1), USERINFO_SET);
}

function parseHostAndPort(url: UrlRecord, text: string): boolean {
  const special = isSpecial(url.scheme);
  const colon = portColon(text);
  const hostText = colon < 0 ? text : text.slice(0, colon);
  if (hostText === "" && (special || colon >= 0)) return false;
  const host = parseHost(hostText, !special);
  if (host === null) return false;
  url.host = host;
  if (colon < 0) return true;
  const digits = text.slice(colon + 1);
  if (!/^\d*$/.test(digits)) return false;
  const port = Number(digits);
  if (port > 65535) return false;
  url.port = digits === "" || port === defaultPort(url.scheme) ? null : port;
  return true;
}

/** The colon before a port: the first that does not stand in brackets. */
export function portColon(text: string): number {
  let inBrackets = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === "[") inBrackets = true;
    else if (character === "]") inBrackets = false;
    else if (character === ":" && !inBrackets) return i;
  }
  return -1;
}

function parseFile(url: UrlRecord, text: string, base: UrlRecord | null): UrlRecord | null {
  url.host = "";
  const fileBase = base?.scheme === "file" ? base : null;
  if (isSlash(text[0], true)) {
    if (isSlash(text[1], true)) return parseFileHost(url, text.slice(2));
    if (fileBase !== null) {
      url.host = fileBase.host;
      const drive = /^\/[A-Za-z]:[^/]*/.exec(fileBase.path);
      if (drive !== null && !startsWithDrive(text.slice(1))) url.path = drive[0];
    }
    return parsePathAndQuery(url, text.slice(1));
  }
  if (fileBase === null) return parsePathAndQuery(url, text);
  url.host = fileBase.host;
  url.path = startsWithDrive(text) ? "" : fileBase.path;
  return parseRelativePath(url, text, fileBase);
}

function parseFileHost(url: UrlRecord, text: string): UrlRecord | null {
  const end = text.search(/[/\\?]/);
  const hostText = end < 0 ? text : text.slice(0, end);
  if (/^[A-Za-z][:|]$/.test(hostText)) return parsePathAndQuery(url, text);
  if (hostText !== "") {
    const host = parseHost(hostText, false);
    if (host === null) return null;
    url.host = host === "localhost" ? "" : host;
  }
  return parsePathStart(url, text.slice(hostText.length));
}

function startsWithDrive(text: string): boolean {
  return /^[A-Za-z][:|](?:[/\\?]|$)/.test(text);
}

function parsePathStart(url: UrlRecord, text: string): UrlRecord {
  const special = isSpecial(url.scheme);
  if (!special && (text === "" || text.startsWith("?"))) {
    setQuery(url, text === "" ? null : text.slice(1));
    return url;
  }
  return parsePathAndQuery(url, isSlash(text[0], special) ? text.slice(1) : text);
}

/** The first slash has been consumed. */
function parsePathAndQuery(url: UrlRecord, text: string): UrlRecord {
  const { path, query } = cutQuery(text);
  parsePath(url, path);
  setQuery(url, query);
  return url;
}

function cutQuery(text: string): { path: string; query: string | null } {
  const question = text.indexOf("?");
  if (question < 0) return { path: text, query: null };
  return { path: text.slice(0, question), query: text.slice(question + 1) };
}

export function setQuery(url: UrlRecord, query: string | null): void {
  url.query = query === null ? null : percentEncode(query, isSpecial(url.scheme) ? SPECIAL_QUERY_SET : QUERY_SET);
}

const DOUBLE_DOT = /^(?:\.|%2e){2}$/i;
const SINGLE_DOT = /^(?:\.|%2e)$/i;

/** Appends the segments of a text without its first slash to the URL's path. */
export function parsePath(url: UrlRecord, text: string): void {
  const isFile = url.scheme === "file";
  const special = isSpecial(url.scheme);
  if (url.path === "" && isTakenUnread(text, isFile)) {
    url.path = `/${text}`;
    return;
  }
  // A list while it changes: taking the last segment off a long text again and again is quadratic.
  const path = url.path === "" ? [] : url.path.slice(1).split("/");
  const segments = (special ? text.replaceAll("\\", "/") : text).split("/");
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (DOUBLE_DOT.test(segment)) {
      const shortened = shortenSegments(path, isFile);
      // Node 20 leaves the path of `a:/..` empty, where the standard has a slash.
      if (isLast && (shortened || special)) path.push("");
    } else if (SINGLE_DOT.test(segment)) {
      if (isLast) path.push("");
    } else if (isFile && path.length === 0 && /^[A-Za-z][:|]$/.test(segment)) {
      path.push(`${segment[0]}:`);
    } else {
      path.push(percentEncode(segment, PATH_SET));
    }
  });
  url.path = path.length === 0 ? "" : `/${path.join("/")}`;
}

/**
 * Node 20 looks for dot segments only where the first `/.` stands, when nothing needs encoding or decoding:
 * `/.git/../a` stays as it is.
 */
function isTakenUnread(text: string, isFile: boolean): boolean {
  if (text.startsWith(".") || text.includes("%") || text.includes("\\")) return false;
  const slashDot = text.indexOf("/.");
  if (slashDot < 0 || (isFile && startsWithDrive(text))) return false;
  const next = text[slashDot + 2];
  return next !== undefined && next !== "." && next !== "/" && percentEncode(text, PATH_SET) === text;
}

/** Removes the last segment, except a Windows drive letter, for which Node 20 takes all that starts with one. */
function shortenSegments(path: string[], isFile: boolean): boolean {
  if (isFile && path.length === 1 && /^[A-Za-z]:/.test(path[0]!)) return false;
  return path.pop() !== undefined;
}

function shorten(url: UrlRecord): void {
  if (url.scheme === "file" && /^\/[A-Za-z]:[^/]*$/.test(url.path)) return;
  url.path = url.path.slice(0, Math.max(url.path.lastIndexOf("/"), 0));
}

function isSlash(character: string | undefined, special: boolean): boolean {
  return character === "/" || (special && character === "\\");
}

function trimControls(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
}

export function withoutTabs(text: string): string {
  return text.replace(/[\t\n\r]+/g, "");
}
