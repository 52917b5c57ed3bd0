import type { PayloadCodec } from "../sealed.ts";
import type { RetryPolicy } from "./patience.ts";

export interface ClientOptions {
  /** Of a control plane, with what stands before `/v1` if anything does; of several, which are asked in turn. */
  readonly url: string | readonly string[];
  /** An API key or a token; a function is asked for it before each request. */
  readonly key?: string | (() => string | Promise<string>) | undefined;
  /** A tenant; without it, that of the key, or `default`. */
  readonly namespace?: string | undefined;
  /** In the place of the one that is there. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** What makes sealed values unreadable to everyone else: that of the workers. */
  readonly codec?: PayloadCodec | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** When it is aborted, whatever is under way ends with its reason; of `startMany()`, that is the `cause`. */
  readonly signal?: AbortSignal | undefined;
}

const KNOWN: readonly (keyof ClientOptions)[] = ["url", "key", "namespace", "fetch", "codec", "retry", "signal"];
const RETRY_KNOWN: readonly (keyof RetryPolicy)[] = ["forMs", "baseMs", "capMs"];

/** Throws a TypeError that names the option which cannot be right: who writes JavaScript has no other to tell. */
export function checkClientOptions(options: ClientOptions): void {
  if (!isObject(options)) throw new TypeError("createClient() takes { url, … }");
  checkNames("createClient()", options, KNOWN);
  const { codec, retry } = options;
  if (retry !== undefined) checkRetry(retry);
  if (codec !== undefined && (typeof codec?.encode !== "function" || typeof codec.decode !== "function"))
    throw new TypeError("codec has the functions encode and decode");
}

function checkRetry(retry: RetryPolicy): void {
  if (!isObject(retry)) throw new TypeError("retry takes { forMs, baseMs, capMs }");
  checkNames("retry", retry, RETRY_KNOWN);
  for (const name of RETRY_KNOWN) {
    const ms: unknown = retry[name];
    if (ms !== undefined && !(typeof ms === "number" && ms >= 0))
      throw new TypeError(`retry.${name} is a number of milliseconds, 0 or more`);
  }
}

function checkNames(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${what} has no option "${unknown}". There are ${known.join(", ")}`);
}

function isObject(options: unknown): boolean {
  return typeof options === "object" && options !== null;
}

export function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /\/v1\/*$/.test(url.pathname)) throw new TypeError(`url is what stands before /v1, not ${text}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "") {
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  }
  throw new TypeError(
    `url is the address of a control plane, such as http://10.0.0.5:9000, not ${JSON.stringify(text)}`,
  );
}
