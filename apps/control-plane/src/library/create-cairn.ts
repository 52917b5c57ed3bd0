import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { definitionOf, type Workflow, type WorkflowDefinition } from "cairnjs";
import { checkedEncoding, declaredWorkflow, declaredWorkflows, encodeCopy } from "cairnjs/host";
import { listRuns } from "../store/list-runs.ts";
import { type CairnOptions, checkCairnOptions, leaseOf } from "./cairn-options.ts";
import { isRunId } from "../ids.ts";
import type { Engine } from "./engine.ts";
import { checkNamespace } from "./namespace.ts";
import { type Database, openDatabase, openEngine } from "./open-engine.ts";
import { Registrar } from "./registrar.ts";
import { RunHandle, type RunStatus, statusOf } from "./run-handle.ts";
import { checkedFilter, type RunsFilter } from "./runs-filter.ts";
import type { StartRunOptions } from "./start-options.ts";

type StartArguments<Args extends [input?: unknown]> = Args extends []
  ? [input?: undefined, options?: StartRunOptions]
  : [...Args, options?: StartRunOptions];

/** The engine in this process: it runs workflows and their actions, and keeps everything in Postgres. */
export class Cairn {
  readonly namespace: string;
  readonly #engine: Engine;
  readonly #database: Database;
  readonly #registrar: Registrar;

  constructor(namespace: string, engine: Engine, database: Database, leaseOfType: (type: string) => number | null) {
    this.namespace = namespace;
    this.#engine = engine;
    this.#database = database;
    this.#registrar = new Registrar(engine.client, namespace, engine.programs, leaseOfType);
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
    if (definition === undefined) return this.#start(workflow as string, copy.text, false, options);
    await this.#registrar.register(definition);
    const checked = await checkedEncoding(definition, copy);
    return this.#start(definition.name, checked.text, true, options);
  }

  run(id: string): RunHandle {
    const { client, programs, blobs, waiters } = this.#engine;
    const tell = (channel: "cairn_mail" | "cairn_ended"): void => this.#engine.tell(channel);
    return new RunHandle(isRunId(id) ? id.toLowerCase() : id, {
      client,
      programs,
      blobs,
      namespace: this.namespace,
      waiters,
      tell,
    });
  }

  /** The newest first. */
  async runs(filter: RunsFilter = {}): Promise<RunStatus[]> {
    return (await listRuns(this.#engine.client, this.namespace, checkedFilter(filter))).map(statusOf);
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
  try {
    const engine = await openEngine(database, namespace, options);
    const cairn = new Cairn(namespace, engine, database, (type) => leaseOf(options, type));
    await cairn.registerDeclared();
    return cairn;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function moduleUrl(module: string | URL): string {
  if (module instanceof URL || /^\w[\w+.-]+:/.test(module)) return String(module);
  return module.startsWith(".") || isAbsolute(module) ? pathToFileURL(resolve(module)).href : module;
}

function definitionIn(value: unknown): WorkflowDefinition {
  const definition = definitionOf(value);
  if (definition?.kind !== "workflow") throw new TypeError("This takes a workflow, as workflow() returns it");
  return definition;
}
