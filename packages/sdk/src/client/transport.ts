import type { Problem } from "@cairnjs/schemas/rest";
import { onAbort } from "./abort.ts";
import { CairnError } from "./cairn-error.ts";
import { Failure, Patience, type RetryPolicy } from "./patience.ts";

/** What is said in a query: what is undefined is not, and a list is said one by one. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface TransportOptions {
  /** Of control planes, in the order in which they are asked. */
  readonly urls: readonly string[];
  readonly key: string | (() => string | Promise<string>) | undefined;
  readonly namespace: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly retry: RetryPolicy;
  /** Ends everything. */
  readonly signal: AbortSignal | undefined;
}

export interface Ask {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/v1`. */
  readonly path: string;
  readonly query?: Query;
  /** JSON. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is answered may be a text. */
  readonly takesText?: boolean;
  /** It may be carried out twice. */
  readonly repeatable: boolean;
  /** Called when a try ends of which nobody knows whether it was carried out, whatever comes of the next one. */
  readonly onDoubt?: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that has begun. */
export interface Opened {
  readonly response: Response;
  /** Whoever answers is about to go: others are asked first. */
  readonly leave: () => void;
}

/** Longer than the longest wait for a result, and long enough for 64 MB on a slow line. */
const ANSWER_MS_MAX = 120_000;

/** Asks control planes by `fetch`: again, and elsewhere, where that is safe and may help. */
export class Transport {
  readonly #options: TransportOptions;
  /** Who has answered last is asked first. */
  #place = 0;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  patience(): Patience {
    return new Patience(this.#options.retry, this.#options.urls.length);
  }

  /** The answer as it was parsed. Rejects with `CairnError`, or with the reason of a signal. */
  async ask<T>(request: Ask, patience = this.patience()): Promise<T> {
    for (;;) {
      const attempt = new Attempt([this.#options.signal, request.signal], ANSWER_MS_MAX);
      const isOver = attempt.isAborted;
      try {
        const answer = await this.#once(request, attempt);
        patience.reset();
        return answer as T;
      } catch (failure) {
        if (attempt.isAborted ? !isOver : isInDoubt(failure)) request.onDoubt?.();
        attempt.rethrowAborted();
        if (!(failure instanceof Failure)) throw failure;
        const isSafe = failure.again === "always" || (failure.again === "repeatable" && request.repeatable);
        if (!isSafe) throw failure.error;
        await this.waited(patience, failure, request.signal);
      } finally {
        attempt.end();
      }
    }
  }

  /** One try of what may be carried out twice. Rejects with `Failure`, or with the reason of a signal. */
  async once<T>(request: Ask): Promise<T> {
    const attempt = new Attempt([this.#options.signal, request.signal], ANSWER_MS_MAX);
    try {
      return (await this.#once(request, attempt)) as T;
    } catch (failure) {
      attempt.rethrowAborted();
      throw failure;
    } finally {
      attempt.end();
    }
  }

  async waited(patience: Patience, failure: Failure, signal: AbortSignal | undefined): Promise<void> {
    const both = new Attempt([this.#options.signal, signal], null);
    try {
      await patience.wait(failure, both.signal);
    } finally {
      both.end();
    }
  }

  /** For what lives as long as the caller wants, or the client. */
  attempt(signal: AbortSignal | undefined): Attempt {
    return new Attempt([this.#options.signal, signal], null);
  }

  /** An answer whose body is read as it comes. Rejects with `Failure`. */
  async open(request: Ask, attempt: Attempt): Promise<Opened> {
    const url = this.#options.urls[this.#place]!;
    const response = await this.#fetch(url, request, attempt);
    if (response.ok) return { response, leave: () => this.#elsewhere(url) };
    throw this.#failureOf(url, response, parsed(await this.#textOf(url, response)));
  }

  async #once(request: Ask, attempt: Attempt): Promise<unknown> {
    const url = this.#options.urls[this.#place]!;
    const response = await this.#fetch(url, request, attempt);
    const text = await this.#textOf(url, response);
    if (response.ok && request.takesText === true && isPlain(response)) return text;
    const answer = parsed(text);
    if (!response.ok) throw this.#failureOf(url, response, answer);
    if (typeof answer === "object" && answer !== null) return answer;
    throw new Failure(noControlPlane(url, response));
  }

  async #fetch(url: string, request: Ask, attempt: Attempt): Promise<Response> {
    const { method, path, query = {}, body } = request;
    const address = new URL(`${url}/v1${path}`);
    for (const [name, value] of Object.entries(query)) {
      for (const each of [value].flat()) if (each !== undefined) address.searchParams.append(name, String(each));
    }
    const headers = { ...(await this.#headers()), ...request.headers };
    try {
      // Not followed: what is posted elsewhere would be asked for there, and the key would be shown.
      return await (this.#options.fetch ?? globalThis.fetch)(address.href, {
        method,
        redirect: "manual",
        signal: attempt.signal,
        headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      throw this.#noAnswer(url, error);
    }
  }

  async #headers(): Promise<Record<string, string>> {
    const { key, namespace } = this.#options;
    const said = typeof key === "function" ? await key() : key;
    if (said !== undefined) checkHeader("The key", said);
    return {
      ...(said === undefined ? {} : { authorization: `Bearer ${said}` }),
      ...(namespace === undefined ? {} : { "cairn-namespace": namespace }),
    };
  }

  async #textOf(url: string, response: Response): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw this.#noAnswer(url, error);
    }
  }

  #noAnswer(url: string, cause: unknown): Failure {
    this.#elsewhere(url);
    const error = new CairnError("NoAnswer", `No control plane answers at ${url}`, 0, { cause });
    return new Failure(error, "repeatable");
  }

  #failureOf(url: string, response: Response, answer: unknown): Failure {
    const { status } = response;
    const error = isProblem(answer)
      ? new CairnError(answer.code, answer.detail, status)
      : noControlPlane(url, response);
    if (status === 429) return new Failure(error, "always", retryAfterMs(response));
    if (!LATER.has(status)) return new Failure(error);
    this.#elsewhere(url);
    return new Failure(error, "repeatable", retryAfterMs(response));
  }

  /** Of several who leave the same one, the first does it for all. */
  #elsewhere(from: string): void {
    const { urls } = this.#options;
    if (urls[this.#place] === from) this.#place = (this.#place + 1) % urls.length;
  }
}

/** Else `fetch` would reject, as if nobody had answered. */
export function checkHeader(name: string, text: string): void {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new TypeError(`${name} has a character that it cannot have`);
}

/** A text for programs. What is for people is that of a proxy. */
function isPlain({ headers }: Response): boolean {
  const type = headers.get("content-type");
  return type !== null && !/^(text\/html|application\/([\w.-]+\+)?json)\b/i.test(type);
}

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A proxy's word that whom it asks is away; a control plane's that its database is, or that it ends. */
const LATER: ReadonlySet<number> = new Set([502, 503, 504]);

/** What is refused is not carried out. */
function isInDoubt(failure: unknown): boolean {
  if (!(failure instanceof Failure) || failure.again === "always") return false;
  const { status } = failure.error;
  return failure.again === "repeatable" || status < 400 || status >= 500;
}

function noControlPlane(url: string, { status, headers }: Response): CairnError {
  const where = headers.get("location");
  const says = where === null ? `it says ${status}` : `it leads to ${where}`;
  return new CairnError("NoControlPlane", `What answers at ${url} is no control plane: ${says}`, status);
}

function isProblem(answer: unknown): answer is Problem {
  const { code, detail } = (answer ?? {}) as Partial<Problem>;
  return typeof code === "string" && typeof detail === "string";
}

/** Seconds, or a date. */
function retryAfterMs({ headers }: Response): number {
  const said = headers.get("retry-after");
  if (said === null) return 0;
  const ms = /^\d{1,9}$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** One signal for several, and for a length of time. `AbortSignal.any` keeps what it made as long as its sources live, in some engines. */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #leaves: (() => void)[] = [];
  readonly #timer: ReturnType<typeof setTimeout> | null;
  #aborted: { readonly reason: unknown } | null = null;

  constructor(sources: readonly (AbortSignal | undefined)[], ms: number | null) {
    this.#sources = sources.filter((source) => source !== undefined);
    this.#timer = ms === null ? null : setTimeout(() => this.#controller.abort(), ms);
    for (const source of this.#sources) {
      if (source.aborted) this.#abort();
      this.#leaves.push(onAbort(source, this.#abort));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#aborted !== null;
  }

  /** By whoever uses it; not by its time. */
  rethrowAborted(): void {
    if (this.#aborted !== null) throw this.#aborted.reason;
  }

  /** Nothing of it is wanted any more. */
  cut(): void {
    this.#controller.abort();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const leave of this.#leaves) leave();
  }

  readonly #abort = (): void => {
    const reason: unknown = this.#sources.find(({ aborted }) => aborted)?.reason;
    this.#aborted ??= { reason };
    this.#controller.abort(reason);
  };
}
