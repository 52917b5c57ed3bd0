import type { CompiledDefinition, WorkflowDefinition } from "cairnjs";
import { requireCompiled, startSchemaOf } from "cairnjs/host";
import type { Programs } from "../runloop/programs.ts";
import { keepSources, promoteVersion, registerVersion, VersionConflict } from "../store/register-version.ts";
import type { Queryable } from "../store/statement.ts";
import { registerDeclaredLimits } from "./declared-limits.ts";
import { EngineError } from "./engine-error.ts";
import { checkText, NAME_LENGTH_MAX } from "./start-options.ts";

/** Registers the workflows of this process. */
export class Registrar {
  readonly #client: Queryable;
  readonly #namespace: string;
  readonly #programs: Programs;
  readonly #leaseOf: (type: string) => number | null;
  readonly #registered = new WeakMap<CompiledDefinition, Promise<void>>();

  /** `leaseOf`: of a type whose runs have not the usual lease. */
  constructor(
    client: Queryable,
    namespace: string,
    programs: Programs,
    leaseOf: (type: string) => number | null = () => null,
  ) {
    this.#client = client;
    this.#namespace = namespace;
    this.#programs = programs;
    this.#leaseOf = leaseOf;
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

  async promote(name: string, version: string): Promise<void> {
    checkText("The name of a workflow", name, 1, NAME_LENGTH_MAX);
    checkText("version", version, 1, NAME_LENGTH_MAX);
    if (!(await promoteVersion(this.#client, this.#namespace, name, version))) {
      throw new EngineError("UnknownType", `${name} has no version ${version} in the namespace ${this.#namespace}`);
    }
    this.#programs.forgetCurrent(this.#namespace, name);
  }

  async #register(definition: WorkflowDefinition, compiled: CompiledDefinition): Promise<void> {
    const { name, options } = definition;
    const version = options.version ?? compiled.version;
    const schema = startSchemaOf(definition, compiled);
    // Before the version: whoever loads it finds them.
    await registerDeclaredLimits(this.#client, this.#namespace);
    try {
      await registerVersion(this.#client, {
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
      await this.#keepSources(name, version, compiled);
      for (const each of [null, version]) this.#programs.forgetCurrent(this.#namespace, name, each);
    } catch (error) {
      if (error instanceof VersionConflict) throw new EngineError("VersionConflict", error.message, { cause: error });
      throw error;
    }
  }

  #keepSources(name: string, version: string, { program, sources }: CompiledDefinition): Promise<void> {
    const { debug } = program;
    const about = { namespace: this.#namespace, name, version, sourceHash: debug.sourceHash };
    return keepSources(this.#client, { ...about, debug: JSON.stringify(debug), files: sources });
  }
}
