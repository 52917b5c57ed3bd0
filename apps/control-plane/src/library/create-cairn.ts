import { definitionOf, type Workflow, type WorkflowDefinition } from "cairnjs";
import { checkedEncoding, declaredWorkflow, declaredWorkflows, encodeCopy } from "cairnjs/host";
import { migrate } from "../store/migrate.ts";
import { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { checkNamespace } from "./namespace.ts";
import { Registrar } from "./registrar.ts";
import { RunHandle } from "./run-handle.ts";
import type { StartRunOptions } from "./start-options.ts";

export interface CairnOptions {
  /** Where Postgres is; without it, `DATABASE_URL`. */
  readonly databaseUrl?: string;
  /** For LISTEN, where a pooler stands before Postgres; without it, `CAIRN_LISTEN_URL` or the database's. */
  readonly listenUrl?: string;
  readonly namespace?: string;
  /** Actions that run here at one time. */
  readonly concurrency?: number;
  /** How long runs stay with a process that says nothing. */
  readonly leaseMs?: number;
  readonly heartbeatMs?: number;
  /** What goes wrong and mends itself; without it, written to the console. */
  readonly onWarning?: (message: string, error: unknown) => void;
}

type StartArguments<Args extends [input?: unknown]> = Args extends []
  ? [input?: undefined, options?: StartRunOptions]
  : [...Args, options?: StartRunOptions];

/** The engine in this process: it runs workflows and their actions, and keeps everything in Postgres. */
export class Cairn {
  readonly namespace: string;
  readonly #engine: Engine;
  readonly #registrar: Registrar;

  constructor(namespace: string, engine: Engine) {
    this.namespace = namespace;
    this.#engine = engine;
    this.#registrar = new Registrar(engine.client, namespace, engine.programs);
  }

  /** Makes workflows known, so that they can be started by name, as children, by SQL. */
  async register(...workflows: readonly unknown[]): Promise<void> {
    for (const each of workflows) await this.#registrar.register(definitionIn(each));
  }

  /** All workflows that this process has declared. */
  async registerDeclared(): Promise<void> {
    for (const definition of declaredWorkflows()) await this.#registrar.register(definition);
  }

  /** The version that starts without a version use. */
  promote(workflow: string, version: string): Promise<void> {
    return this.#registrar.promote(workflow, version);
  }

  /** Resolves once the run is durable. */
  async start<Args extends [input?: unknown], Result>(
    workflow: Workflow<Args, Result>,
    ...args: StartArguments<Args>
  ): Promise<RunHandle<Result>>;
  async start(type: string, input?: unknown, options?: StartRunOptions): Promise<RunHandle>;
  async start(workflow: unknown, input?: unknown, options: StartRunOptions = {}): Promise<RunHandle> {
    const definition = typeof workflow === "string" ? declaredWorkflow(workflow) : definitionIn(workflow);
    const copy = encodeCopy(input, "input");
    if (definition === undefined) return this.#start(workflow as string, copy.text, options);
    await this.#registrar.register(definition);
    const checked = await checkedEncoding(definition, copy);
    return this.#start(definition.name, checked.text, options);
  }

  run(id: string): RunHandle {
    const { client, programs, waiters } = this.#engine;
    const { namespace } = this;
    return new RunHandle(id, { client, programs, namespace, waiters, tell: (channel) => this.#engine.tell(channel) });
  }

  /** Lets actions that run here end, then hands over to others whatever has not ended. */
  close(): Promise<void> {
    return this.#engine.close();
  }

  async #start(type: string, payload: string, options: StartRunOptions): Promise<RunHandle> {
    return this.run(await this.#engine.starter.start({ namespace: this.namespace, type, payload, options }));
  }
}

const DEFAULTS = { leaseMs: 30_000, heartbeatMs: 10_000, concurrency: 100, heldMax: 20_000 };

export async function createCairn(options: CairnOptions = {}): Promise<Cairn> {
  const url = options.databaseUrl ?? process.env["DATABASE_URL"];
  if (url === undefined) throw new EngineError("InvalidOption", "There is no databaseUrl, and DATABASE_URL is not set");
  const namespace = checkNamespace(options.namespace ?? "default");
  await migrate(url);
  const engine = await Engine.open({
    url,
    namespace,
    listenUrl: options.listenUrl ?? process.env["CAIRN_LISTEN_URL"] ?? url,
    leaseMs: options.leaseMs ?? DEFAULTS.leaseMs,
    heartbeatMs: options.heartbeatMs ?? DEFAULTS.heartbeatMs,
    heldMax: DEFAULTS.heldMax,
    capacity: options.concurrency ?? DEFAULTS.concurrency,
    warn: options.onWarning ?? ((message, error) => console.warn(`cairn: ${message}: ${String(error)}`)),
  });
  const cairn = new Cairn(namespace, engine);
  await cairn.registerDeclared();
  return cairn;
}

function definitionIn(value: unknown): WorkflowDefinition {
  const definition = definitionOf(value);
  if (definition?.kind !== "workflow") throw new TypeError("This takes a workflow, as workflow() returns it");
  return definition;
}
