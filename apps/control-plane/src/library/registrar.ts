import type { ActionDefinition, CompiledDefinition, WorkflowDefinition } from "cairnjs";
import { DEFAULT_RETRY, requireCompiled, startSchemaOf } from "cairnjs/host";
import type { Programs } from "../runloop/programs.ts";
import { registerJobs } from "../store/register-jobs.ts";
import { keepSources, promoteVersion, registerVersion } from "../store/register-version.ts";
import type { Queryable } from "../store/statement.ts";
import { DeclaredLimits } from "./declared-limits.ts";
import { EngineError } from "./engine-error.ts";
import { registeredJob } from "./registered-job.ts";
import { checkText, NAME_LENGTH_MAX } from "./start-options.ts";
import { refusing } from "./version-conflict.ts";

/** Registers the workflows and actions of this process. */
export class Registrar {
  readonly #client: Queryable;
  readonly #namespace: string;
  readonly #programs: Programs;
  readonly #leaseOf: (type: string) => number | null | undefined;
  readonly #registered = new WeakMap<CompiledDefinition, Promise<void>>();
  readonly #jobs = new WeakMap<ActionDefinition, Promise<void>>();
  readonly #limits: DeclaredLimits;

  /** `leaseOf`: of a type whose runs have not the usual lease. */
  constructor(
    client: Queryable,
    namespace: string,
    programs: Programs,
    leaseOf: (type: string) => number | null | undefined = () => undefined,
  ) {
    this.#client = client;
    this.#namespace = namespace;
    this.#programs = programs;
    this.#leaseOf = leaseOf;
    this.#limits = new DeclaredLimits(client, namespace);
  }

  /** Once per definition: what is registered never changes. */
  register(definition: WorkflowDefinition): Promise<void> {
    const compiled = requireCompiled(definition);
    let registered = this.#registered.get(compiled);
    if (registered === undefined) {
      registered = this.#register(definition, compiled);
      this.#registered.set(compiled, registered);
      registered.catch(() => this.#registered.delete(compiled));
    }
    return registered;
  }

  /** Actions, as types of jobs: all that are not yet, by one statement. */
  async registerActions(definitions: readonly ActionDefinition[]): Promise<void> {
    const missing = definitions.filter((definition) => !this.#jobs.has(definition));
    if (missing.length > 0) {
      const registered = this.#registerJobs(missing);
      for (const definition of missing) this.#jobs.set(definition, registered);
      registered.catch(() => missing.forEach((definition) => this.#jobs.delete(definition)));
    }
    await Promise.all(definitions.map((definition) => this.#jobs.get(definition)!));
  }

  async promote(name: string, version: string): Promise<void> {
    checkText("The name of a workflow", name, 1, NAME_LENGTH_MAX);
    checkText("version", version, 1, NAME_LENGTH_MAX);
    if (!(await promoteVersion(this.#client, this.#namespace, name, version))) {
      throw new EngineError("UnknownType", `${name} has no version ${version} in the namespace ${this.#namespace}`);
    }
    this.#programs.forgetCurrent(this.#namespace, name);
  }

  async #registerJobs(definitions: readonly ActionDefinition[]): Promise<void> {
    const jobs = definitions.map(({ name, options }) => {
      checkText("The name of an action", name, 1, NAME_LENGTH_MAX);
      return registeredJob(name, options.retry?.attempts ?? DEFAULT_RETRY.attempts, this.#leaseOf(name));
    });
    await this.#limits.register();
    await refusing(registerJobs(this.#client, this.#namespace, jobs));
    for (const { name } of jobs) this.#programs.forgetCurrent(this.#namespace, name);
  }

  async #register(definition: WorkflowDefinition, compiled: CompiledDefinition): Promise<void> {
    const { name, options } = definition;
    const version = options.version ?? compiled.version;
    const schema = startSchemaOf(definition, compiled);
    // Before the version: whoever loads it finds them.
    await this.#limits.register();
    const registered = registerVersion(this.#client, {
      namespace: this.#namespace,
      name,
      version,
      kind: "workflow",
      programHash: compiled.hash,
      program: JSON.stringify(compiled.program),
      inputSchema: schema === null ? null : JSON.stringify(schema),
      maxAttempts: 1,
      leaseMs: this.#leaseOf(name),
      tags: options.tags ?? [],
    });
    await refusing(registered);
    await this.#keepSources(name, version, compiled);
    for (const each of [null, version]) this.#programs.forgetCurrent(this.#namespace, name, each);
  }

  #keepSources(name: string, version: string, { program, sources }: CompiledDefinition): Promise<void> {
    const { debug } = program;
    const about = { namespace: this.#namespace, name, version, sourceHash: debug.sourceHash };
    return keepSources(this.#client, { ...about, debug: JSON.stringify(debug), files: sources });
  }
}
