import { readFileSync } from "node:fs";
import type { Page, Problem } from "@cairnjs/schemas/rest";
import type { CairnClient } from "cairnjs/client";
import { CannotRun } from "../cannot-run.ts";
import type { Environment } from "../settings/known-settings.ts";
import { type Fetch, securedFetch } from "./secured-fetch.ts";

/** Longer than the longest wait that is asked for, and long enough for a large run. */
const ANSWER_MS_MAX = 5 * 60_000;
const PAGE = 1_000;

/** The control plane has refused what was asked. */
export class Refusal extends CannotRun {
  readonly code: string;

  constructor({ code, detail }: Pick<Problem, "code" | "detail">) {
    super(`${code}: ${detail}`);
    this.code = code;
  }
}

/** Nobody answers: perhaps later. */
export class NoAnswer extends CannotRun {}

/** A name with several values stands there several times. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Speaks with the REST of a control plane. Rejects with `CannotRun`, in one line. */
export class RestClient {
  readonly #url: string;
  readonly #token: string;
  readonly #namespace: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #send: Fetch;

  constructor(env: Environment) {
    this.#url = checkedUrl(env["CAIRN_API_URL"]?.trim() || "http://127.0.0.1:9000");
    const authority = this.#url.startsWith("https:") ? authorityOf(env) : null;
    this.#send = authority === null ? fetch : securedFetch(authority);
    const [named, token] = credentialIn(env);
    const namespace = env["CAIRN_NAMESPACE"]?.trim() ?? "";
    if (!/^[\x21-\x7e]*$/.test(token)) throw new CannotRun(`${named} has a character that no token has`);
    if (!/^[\x21-\x7e]*$/.test(namespace)) throw new CannotRun("CAIRN_NAMESPACE has a character that no name has");
    this.#token = token;
    this.#namespace = namespace;
    this.#headers = {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(namespace === "" ? {} : { "cairn-namespace": namespace }),
    };
  }

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.#ask<T>("GET", path, query);
  }

  post<T>(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<T> {
    return this.#ask<T>("POST", path, {}, JSON.stringify(body), headers);
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#ask<T>("PUT", path, {}, JSON.stringify(body));
  }

  delete<T>(path: string, query: Query = {}): Promise<T> {
    return this.#ask<T>("DELETE", path, query);
  }

  /** All items of a list, or the first of them; page by page. */
  async *list<Item>(
    path: string,
    query: Query = {},
    most: number = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Item, void> {
    let left = most;
    for (let cursor: string | null | undefined = afterOf(query); left > 0 && cursor !== null;) {
      const limit = Math.min(left, PAGE);
      const page: Page<Item> = await this.get(path, { ...query, limit, cursor });
      yield* page.items;
      left -= page.items.length;
      cursor = page.next;
    }
  }

  /** For what is told as it happens: the same control plane, however long it is away. */
  async live(): Promise<CairnClient> {
    const { createClient } = await import("cairnjs/client");
    return createClient({
      url: this.#url,
      fetch: this.#send as typeof fetch,
      retry: { forMs: Number.POSITIVE_INFINITY },
      ...(this.#token === "" ? {} : { key: this.#token }),
      ...(this.#namespace === "" ? {} : { namespace: this.#namespace }),
    });
  }

  async #ask<T>(
    method: string,
    path: string,
    query: Query,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    checkPath(path);
    const url = new URL(`${this.#url}/v1${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) for (const each of [value].flat()) url.searchParams.append(name, String(each));
    }
    const response = await this.#fetch(url, {
      method,
      headers: { ...this.#headers, ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      ...(body === undefined ? {} : { body }),
    });
    const answer = await this.#bodyOf(response);
    if (answer === undefined) throw new CannotRun(`What answers at ${this.#url} is no control plane`);
    if (response.ok) return answer as T;
    if (isProblem(answer)) throw new Refusal(answer);
    throw new CannotRun(`What answers at ${this.#url} is no control plane: it says ${response.status}`);
  }

  async #fetch(url: URL, question: RequestInit): Promise<Response> {
    try {
      return await this.#send(url, question);
    } catch (error) {
      throw await this.#noAnswer(error);
    }
  }

  /** Undefined: it is no JSON. */
  async #bodyOf(response: Response): Promise<unknown> {
    try {
      return JSON.parse(await response.text()) as unknown;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw await this.#noAnswer(error);
    }
  }

  async #noAnswer(cause: unknown): Promise<NoAnswer> {
    const error = ((cause as { cause?: unknown }).cause ?? cause) as {
      readonly code?: string;
      readonly message?: string;
    };
    const { code = "", message = "" } = error;
    if (message.includes("SSL routines")) {
      // It brings gRPC, which nobody else here needs.
      const { brokenTls } = await import("@cairnjs/worker");
      const broken = brokenTls(message) ?? code;
      const hint = /ALERT.*(CERTIFICATE|UNKNOWN_CA|HANDSHAKE)/.test(code)
        ? ". REST takes no certificates of clients: is it the gRPC port?"
        : "";
      return new NoAnswer(`No control plane answers at ${this.#url}: ${broken}${hint}`, { cause });
    }
    if (/CERT|SIGN|ERR_TLS/.test(code)) {
      const why = `The certificate of ${this.#url} is not trusted (${code})`;
      return new NoAnswer(`${why}: name who has signed it by CAIRN_TLS_CA`, { cause });
    }
    const why = `No control plane answers at ${this.#url}: is it running? (CAIRN_API_URL, --api-url)`;
    return new NoAnswer(why, { cause });
  }
}

/** Where a list begins that is not asked for from its beginning. */
function afterOf({ cursor }: Query): string | undefined {
  return cursor === undefined ? undefined : String(cursor);
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function authorityOf(env: Environment): Buffer | null {
  const path = env["CAIRN_TLS_CA"]?.trim() ?? "";
  try {
    return path === "" ? null : readFileSync(path);
  } catch (error) {
    throw new CannotRun(`CAIRN_TLS_CA is the path of a file in PEM: ${(error as Error).message}`, { cause: error });
  }
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.username === "") {
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  }
  throw new CannotRun(`CAIRN_API_URL is an address such as http://10.0.0.5:9000, not ${JSON.stringify(text)}`);
}

function isProblem(answer: unknown): answer is Problem {
  const { code, detail } = (answer ?? {}) as Partial<Problem>;
  return typeof code === "string" && typeof detail === "string";
}

/** A key, or else a token: by which variable it was said, and what. */
function credentialIn(env: Environment): readonly [name: string, text: string] {
  const key = env["CAIRN_KEY"]?.trim() ?? "";
  return key === "" ? ["CAIRN_TOKEN", env["CAIRN_TOKEN"]?.trim() ?? ""] : ["CAIRN_KEY", key];
}

/** What is none of its own as a part of an address: something else would be asked for. */
function checkPath(path: string): void {
  const dots = path.split("/").find((part) => part === "." || part === "..");
  if (dots !== undefined) throw new CannotRun(`nothing has the name or id ${JSON.stringify(dots)}`);
}
