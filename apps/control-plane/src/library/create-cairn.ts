import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Action, type Definition, definitionOf, type Workflow } from "cairnjs";
import {
  checkedEncoding,
  checkJobInput,
  declaredAction,
  declaredActions,
  declaredWorkflow,
  declaredWorkflows,
  encodeCopy,
  type JobArguments,
  sealing,
  type StartArguments,
} from "cairnjs/host";
import { firstRuns } from "../store/list-runs.ts";
import { type CairnOptions, checkCairnOptions, leaseOf } from "./cairn-options.ts";
import type { Engine } from "./engine.ts";
import { checkNamespace } from "./namespace.ts";
import { type Database, openDatabase, openEngine } from "./open-engine.ts";
import { type Outbox, outboxOf } from "./outbox.ts";
import { type Retention, retentionOf } from "./retention.ts";
import { Registrar } from "./registrar.ts";
import { type RunHandle, type RunStatus, statusOf } from "./run-handle.ts";
import { runOf } from "./run-of.ts";
import { checkedFilter, type RunsFilter } from "./runs-filter.ts";
import { type Scheduled, Schedules } from "./schedules.ts";
import type { StartRunOptions } from "./start-options.ts";
import { type Secrets, secretsOf } from "./secrets.ts";
import { type Subscriptions, subscriptionsOf } from "./subscriptions.ts";

/** The engine in this process: it runs workflows and their actions, and keeps everything in Postgres. */
export class Cairn {
  readonly namespace: string;
  /** What is started at certain times. */
  readonly schedules: Schedules;
  /** Who wants which events. */
  readonly subscriptions: Subscriptions;
  /** Events for others. */
  readonly outbox: Outbox;
  /** How long things are kept. */
  readonly retention: Retention;
  /** What actions and subscriptions need, and nobody may see. */
  readonly secrets: Secrets;
  readonly #engine: Engine;
  readonly #database: Database;
  readonly #registrar: Registrar;
  /** Of actions, and of workflows with a slash behind. */
  readonly #names = new Set<string>();

  constructor(
    namespace: string,
    engine: Engine,
    database: Database,
    leaseOfType: (type: string) => number | null | undefined,
  ) {
    this.namespace = namespace;
    this.#engine = engine;
    this.#database = database;
    this.#registrar = new Registrar(engine.client, namespace, engine.programs, leaseOfType);
    this.schedules = new Schedules({ namespace, book: engine.schedules, resolve: (type) => this.#resolve(type) });
    this.subscriptions = subscriptionsOf(engine, namespace);
    this.outbox = outboxOf(engine, namespace);
    this.retention = retentionOf(engine, namespace);
    this.secrets = secretsOf(engine, namespace, "the process");
  }

  /** Makes workflows and actions known, so that they can be started by name, as children, by SQL. */
  async register(...declared: readonly unknown[]): Promise<void> {
    await this.#register(declared.map(definitionIn));
  }

  /** All workflows and actions that this process has declared. */
  async registerDeclared(): Promise<void> {
    await this.#register([...declaredWorkflows(), ...declaredActions()]);
  }

  /** The version that starts without a version use. */
  promote(workflow: string, version: string): Promise<void> {
    return this.#registrar.promote(workflow, version);
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
  async start(type: string, input?: unknown, options?: StartRunOptions): Promise<RunHandle>;
  async start(type: unknown, input?: unknown, options: StartRunOptions = {}): Promise<RunHandle> {
    const definition = typeof type === "string" ? declaredAs(type) : definitionIn(type);
    const copy = await sealing((sealed) => encodeCopy(input, "input", sealed), this.#engine.codec);
    if (definition === undefined) return this.#start(type as string, copy.text, false, options);
    await this.#register([definition]);
    if (definition.kind === "action") await checkJobInput(definition, copy);
    const checked = definition.kind === "action" ? copy : await checkedEncoding(definition, copy);
    return this.#start(definition.name, checked.text, true, options);
  }

  async #resolve(type: Scheduled): Promise<{ readonly type: string; readonly definition: Definition | undefined }> {
    const definition = typeof type === "string" ? declaredAs(type) : definitionIn(type);
    if (definition !== undefined) await this.#register([definition]);
    return { type: definition?.name ?? (type as string), definition };
  }

  run(id: string): RunHandle {
    return runOf(this.#engine, this.namespace, id);
  }

  /** The newest first. */
  async runs(filter: RunsFilter = {}): Promise<RunStatus[]> {
    const { limit, ...wanted } = checkedFilter(filter);
    return (await firstRuns(this.#engine.client, this.namespace, wanted, limit)).map(statusOf);
  }

  /** Where the runs are kept; the address of the embedded Postgres has its password in it. */
  get databaseUrl(): string {
    return this.#database.url;
  }

  /** Lets actions that run here end, then hands over to others whatever has not ended. */
  async close(): Promise<void> {
    await this.#engine.close();
    await this.#database.close();
  }

  /** Other processes know that they are here before they can be started: else one that lacks them would fail them. */
  async #register(definitions: readonly Definition[]): Promise<void> {
    const names = definitions.map(({ kind, name }) => (kind === "workflow" ? `${name}/` : name));
    if (names.some((name) => !this.#names.has(name))) {
      await this.#engine.serve(new Set([...this.#names, ...names]));
      for (const name of names) this.#names.add(name);
    }
    for (const each of definitions) if (each.kind === "workflow") await this.#registrar.register(each);
    await this.#registrar.registerActions(definitions.filter((each) => each.kind === "action"));
  }

  async #start(type: string, payload: string, checked: boolean, options: StartRunOptions): Promise<RunHandle> {
    const { namespace } = this;
    return this.run(await this.#engine.starter.start({ namespace, type, payload, checked, options }));
  }
}

export async function createCairn(options: CairnOptions = {}): Promise<Cairn> {
  checkCairnOptions(options);
  const namespace = checkNamespace(options.namespace ?? "default");
  for (const module of options.modules ?? []) await import(moduleUrl(module));
  const database = await openDatabase(options);
  let engine: Engine | null = null;
  try {
    engine = await openEngine(database, namespace, options);
    const cairn = new Cairn(namespace, engine, database, (type) => leaseOf(options, type));
    await cairn.registerDeclared();
    return cairn;
  } catch (error) {
    await engine?.close();
    await database.close();
    throw error;
  }
}

function moduleUrl(module: string | URL): string {
  if (module instanceof URL || /^\w[\w+.-]+:/.test(module)) return String(module);
  return module.startsWith(".") || isAbsolute(module) ? pathToFileURL(resolve(module)).href : module;
}

function declaredAs(type: string): Definition | undefined {
  return declaredWorkflow(type) ?? declaredAction(type);
}

function definitionIn(value: unknown): Definition {
  const definition = definitionOf(value);
  if (definition !== undefined) return definition;
  throw new TypeError("This takes a workflow or an action, as workflow() and action() return them");
}
