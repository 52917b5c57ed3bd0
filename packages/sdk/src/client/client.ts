import type { Health, RunSummary } from "@cairnjs/schemas/rest";
import type { Action } from "../action.ts";
import type { JobArguments, StartArguments } from "../start-arguments.ts";
import type { Workflow } from "../workflow.ts";
import { checkClientOptions, checkedUrl, type ClientOptions } from "./client-options.ts";
import { containedText } from "./contained.ts";
import { follow, type FollowOptions } from "./follow.ts";
import { newRunId } from "./ids.ts";
import { type LiveEvent, liveEventOf } from "./live.ts";
import { itemsOf } from "./pages.ts";
import { type HandleContext, RunHandle } from "./run-handle.ts";
import { Results } from "./results.ts";
import { type RunStatus, statusOf } from "./run-views.ts";
import {
  bodyOf,
  makeRun,
  type NamedArguments,
  type NamedInput,
  type NamedResult,
  prepared,
  type PreparedStart,
  type ResultOf,
  type Startable,
  type StartRunOptions,
  timeText,
} from "./start.ts";
import { checkStart, isInvalidId, startAll } from "./start-many.ts";
import { checkHeader, type Query, Transport } from "./transport.ts";
import { Values } from "./values.ts";

/** Which runs are listed. */
export interface RunsFilter {
  /** A type, or a beginning such as `billing.*`; one of several. */
  readonly type?: string | readonly string[];
  readonly status?: RunStatus["status"] | readonly RunStatus["status"][];
  readonly phase?: NonNullable<RunStatus["phase"]> | readonly NonNullable<RunStatus["phase"]>[];
  /** All of these. */
  readonly tag?: string | readonly string[];
  /** Runs that this one waits for, or has waited for. */
  readonly parent?: string;
  /** The name of the schedule that has started them. */
  readonly schedule?: string;
  /** What the payload contains, as `jsonb` of Postgres means it. Nothing in it is `undefined`, or sealed. */
  readonly contains?: unknown;
  /** A text in payload, result, error or last error, in whatever case. */
  readonly search?: string;
  /** Those that were deleted, and no others. */
  readonly deleted?: boolean;
  /** Started at this time or later. */
  readonly since?: Date;
  /** Started before this time. */
  readonly until?: Date;
  /** `createdAt`: the oldest first. */
  readonly sort?: "createdAt" | "-createdAt";
  /** So many; without it, all. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Which events are followed, of all runs. */
export interface EventsFilter extends FollowOptions {
  /** A type of runs, or a beginning such as `billing.*`. */
  readonly type?: string;
  /** One of several. */
  readonly kind?: string | readonly string[];
  readonly tag?: string;
}

/** One of many starts. */
export type StartOf<Input> = StartRunOptions &
  ([undefined] extends [Input] ? { readonly input?: Input } : { readonly input: Input });

export interface RequestOptions {
  readonly query?: Query;
  /** Plain JSON. */
  readonly body?: unknown;
  /** The header of that name. A `POST` without it is not made again when nobody knows whether it was carried out. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** Speaks with control planes over REST: by `fetch` alone, so in Node.js, Bun, Deno and browsers. */
export class CairnClient {
  readonly #transport: Transport;
  readonly #values: Values;
  readonly #handles: HandleContext;
  /** Of the database's clock to the one here: ids of a day ago, or in a day, are refused. */
  #clockAheadMs = 0;

  constructor(options: ClientOptions) {
    checkClientOptions(options);
    const { url, key, namespace, fetch, codec, retry = {}, signal } = options;
    const urls = [url].flat().map(checkedUrl);
    if (urls.length === 0) throw new TypeError("createClient() takes the url of a control plane");
    if (namespace !== undefined) checkHeader("The namespace", namespace);
    this.#transport = new Transport({ urls, key, namespace, fetch, retry, signal });
    this.#values = new Values(codec ?? null);
    this.#handles = {
      transport: this.#transport,
      values: this.#values,
      results: new Results(this.#transport),
      withId: (given, make) => this.#withId(given, make),
    };
  }

  /** Resolves once the run is durable. */
  async start<Args extends [input?: unknown], Result>(
    workflow: Workflow<Args, Result>,
    ...args: StartArguments<Args, StartRunOptions>
  ): Promise<RunHandle<Result>>;
  /** An action as a job: a run that is one call of it. */
  async start<Args extends unknown[], Result>(
    action: Action<Args, Result>,
    ...args: JobArguments<Args, StartRunOptions>
  ): Promise<RunHandle<Result>>;
  /**
   * By name, with the types of a workflow or an action whose module need not be loaded, `start<typeof checkout>("shop.checkout.v1", …)`,
   * or with those of input and result.
   */
  async start<Named = unknown, Result = unknown>(
    name: string,
    ...args: NamedArguments<Named>
  ): Promise<RunHandle<NamedResult<Named, Result>>>;
  async start(type: unknown, input?: unknown, options: StartRunOptions = {}): Promise<RunHandle> {
    const start = await prepared(this.#values, type, { ...options, input });
    const make = (id: string): Promise<string> => makeRun(this.#transport, id, "/runs", bodyOf(start, id));
    return this.run(await this.#withId(start.id, make));
  }

  /**
   * Starts many, in requests of up to 10,000. Resolves to their handles, in order, once all are durable; rejects with
   * `StartsRefused`, which says what became of each, if some were refused, and with `StartsInterrupted`, which says what became of
   * those before, if it could not be done to its end.
   */
  async startMany<Input extends [input?: unknown], Result>(
    workflow: Workflow<Input, Result>,
    starts: Starts<Input[0]>,
  ): Promise<RunHandle<Result>[]>;
  async startMany<Args extends unknown[], Result>(
    action: Action<Args, Result>,
    starts: Starts<JobArguments<Args, StartRunOptions>[0]>,
  ): Promise<RunHandle<Result>[]>;
  async startMany<Named = unknown, Result = unknown>(
    name: string,
    starts: Starts<NamedInput<NoInfer<Named>>>,
  ): Promise<RunHandle<NamedResult<Named, Result>>[]>;
  async startMany(type: unknown, starts: Starts<unknown>): Promise<RunHandle[]> {
    return startAll(preparedOf(this.#values, type, starts), {
      transport: this.#transport,
      newId: () => this.#newId(),
      readClock: () => this.#readClock(),
      runOf: (id) => this.run(id),
    });
  }

  /** The handle of any run, of a workflow or of a result: `run<typeof checkout>(id)`, `run<string>(id)`. Whether it is there is not asked. */
  run<As = unknown>(id: string): RunHandle<As extends Startable ? ResultOf<As> : As> {
    // As a part of an address it would be another one's.
    if (/^\.{0,2}$/.test(id)) throw new TypeError(`run() takes the id of a run, not ${JSON.stringify(id)}`);
    return new RunHandle(id, this.#handles);
  }

  /** The newest first, page by page. */
  async *runs({ since, until, status, phase, contains, signal, ...same }: RunsFilter = {}): AsyncGenerator<
    RunStatus,
    void
  > {
    for (const [name, several] of Object.entries({ type: same.type, status, phase }))
      if (several?.length === 0)
        throw new TypeError(`${name} is an empty list, so no run has it: leave it out for all`);
    const query = {
      ...same,
      status: status === undefined ? undefined : [status].flat().join(","),
      phase: phase === undefined ? undefined : [phase].flat().join(","),
      contains: contains === undefined ? undefined : containedText(contains),
      since: since === undefined ? undefined : timeText("since", since),
      until: until === undefined ? undefined : timeText("until", until),
    };
    for await (const run of itemsOf<RunSummary>(this.#transport, "/runs", { query, signal })) yield statusOf(run);
  }

  /** What happens to all runs, or to those of a filter: from now on, or behind `after`. Has no end. */
  async *events({ type, kind, tag, ...options }: EventsFilter = {}): AsyncGenerator<LiveEvent, void> {
    const query = { type, kind: kind === undefined ? undefined : [kind].flat().join(","), tag };
    const followed = { path: "/events/stream", query };
    for await (const event of follow(this.#transport, followed, options)) yield liveEventOf(this.#values, event);
  }

  /** Anything else of docs/rest.md: the path is that below `/v1`. Values and times stand in the answer as they come; what is no JSON is a text. */
  async request<Answer>(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: `/${string}`,
    { query = {}, body, idempotencyKey, signal }: RequestOptions = {},
  ): Promise<Answer> {
    return this.#transport.ask<Answer>({
      method,
      path,
      query,
      signal,
      takesText: true,
      repeatable: method !== "POST" || idempotencyKey !== undefined,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
    });
  }

  /** The items of a list of docs/rest.md, page by page: all, or the first of them, if the query has a `limit`. */
  list<Item>(path: `/${string}`, query: Query = {}): AsyncGenerator<Item, void> {
    return itemsOf<Item>(this.#transport, path, { query });
  }

  /** What a stream of docs/live.md tells, over connections that break. Values and times stand in it as they come. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- said by whoever knows what the path stands for
  async *follow<Told>(path: `/${string}`, query: Query = {}, options: FollowOptions = {}): AsyncGenerator<Told, void> {
    for await (const { data } of follow(this.#transport, { path, query }, options)) yield JSON.parse(data) as Told;
  }

  async #withId<T>(given: string | undefined, make: (id: string) => Promise<T>): Promise<T> {
    try {
      return await make(given ?? this.#newId());
    } catch (error) {
      if (given !== undefined || !isInvalidId(error)) throw error;
      await this.#readClock();
      return make(this.#newId());
    }
  }

  #newId(): string {
    return newRunId(Date.now() + this.#clockAheadMs);
  }

  async #readClock(): Promise<void> {
    const { now } = await this.#transport.ask<Health>({ method: "GET", path: "/health", repeatable: true });
    this.#clockAheadMs = Date.parse(now) - Date.now();
  }
}

type Starts<Input> = Iterable<StartOf<Input>> | AsyncIterable<StartOf<Input>>;

async function* preparedOf(
  values: Values,
  type: unknown,
  starts: Starts<unknown>,
): AsyncGenerator<PreparedStart, void> {
  for await (const start of starts) {
    checkStart(start);
    yield await prepared(values, type, start);
  }
}

export function createClient(options: ClientOptions): CairnClient {
  return new CairnClient(options);
}
