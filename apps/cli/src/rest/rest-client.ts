import type { Page, Problem } from "@cairnjs/schemas/rest";
import { CannotRun } from "../cannot-run.ts";
import type { Environment } from "../settings/known-settings.ts";

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

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Speaks with the REST of a control plane. Rejects with `CannotRun`, in one line. */
export class RestClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(env: Environment) {
    this.#url = checkedUrl(env["CAIRN_API_URL"]?.trim() || "http://127.0.0.1:9000");
    const token = env["CAIRN_TOKEN"]?.trim() ?? "";
    const namespace = env["CAIRN_NAMESPACE"]?.trim() ?? "";
    if (!/^[\x21-\x7e]*$/.test(token)) throw new CannotRun("CAIRN_TOKEN has a character that no token has");
    if (!/^[\x21-\x7e]*$/.test(namespace)) throw new CannotRun("CAIRN_NAMESPACE has a character that no name has");
    this.#headers = {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(namespace === "" ? {} : { "cairn-namespace": namespace }),
    };
  }

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.#ask<T>("GET", path, query);
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#ask<T>("POST", path, {}, JSON.stringify(body));
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

  async #ask<T>(method: string, path: string, query: Query, body?: string): Promise<T> {
    const url = new URL(`${this.#url}/v1${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const response = await this.#fetch(url, {
      method,
      headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      ...(body === undefined ? {} : { body }),
    });
    const answer = await this.#bodyOf(response);
    if (answer === undefined) throw new CannotRun(`What answers at ${this.#url} is no control plane`);
    if (response.ok) return answer as T;
    if (isProblem(answer)) throw new Refusal(answer);
    throw new CannotRun(`What answers at ${this.#url} is no control plane: it says ${response.status}`);
  }

  async #fetch(url: URL, options: RequestInit): Promise<Response> {
    try {
      return await fetch(url, options);
    } catch (error) {
      throw this.#noAnswer(error);
    }
  }

  /** Undefined: it is no JSON. */
  async #bodyOf(response: Response): Promise<unknown> {
    try {
      return JSON.parse(await response.text()) as unknown;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw this.#noAnswer(error);
    }
  }

  #noAnswer(cause: unknown): NoAnswer {
    return new NoAnswer(`No control plane answers at ${this.#url}: is it running? (CAIRN_API_URL, --api-url)`, {
      cause,
    });
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
