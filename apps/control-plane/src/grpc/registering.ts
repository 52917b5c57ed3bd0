import { DEFAULT_RETRY, InvalidProgram, type Program, programHash, validateProgram } from "@cairnjs/ir";
import { loadProgram } from "@cairnjs/vm";
import type { LimitKey, RegisteredAction, RegisteredWorkflow } from "@cairnjs/schemas";
import type { BlobStore } from "../blobs/blob-store.ts";
import { Gate } from "../blobs/gate.ts";
import { registeredJob } from "../library/registered-job.ts";
import { refusing } from "../library/version-conflict.ts";
import { Refused } from "../hub/refused.ts";
import { textOfValue } from "../hub/values.ts";
import type { Programs } from "../runloop/programs.ts";
import { registerLimits } from "../store/limits.ts";
import { registerJobs } from "../store/register-jobs.ts";
import { keepSources, registerVersion } from "../store/register-version.ts";
import type { Queryable } from "../store/statement.ts";

/** Statements under way at one time. */
const REGISTERING_MAX = 8;

export interface RegisteringOptions {
  readonly client: Queryable;
  readonly blobs: BlobStore;
  readonly programs: Programs;
  /** Of a type whose runs have not the usual lease. */
  readonly leaseOf: (type: string) => number | null | undefined;
}

/** A workflow that came from outside: nothing of it is believed. */
export async function registerWorkflow(
  { client, blobs, programs, leaseOf }: RegisteringOptions,
  namespace: string,
  workflow: RegisteredWorkflow,
): Promise<void> {
  const { name, version, maxAttempts, tags } = workflow;
  const text = await textOfValue(blobs, workflow.program);
  const program = checkedProgram(workflow, text);
  const inputSchema = workflow.inputSchema === null ? null : await textOfValue(blobs, workflow.inputSchema);
  checkSchema(name, inputSchema);
  const about = { namespace, name, version };
  const registered = { kind: "workflow" as const, programHash: workflow.programHash, program: text, inputSchema };
  await refusing(registerVersion(client, { ...about, ...registered, maxAttempts, tags, leaseMs: leaseOf(name) }));
  const { debug } = program;
  const files = new Map<string, string>();
  for (const { name: path, content } of workflow.sources) {
    files.set(path, "text" in content ? content.text : (await blobs.get(content.blob.digest)).toString("utf8"));
  }
  if (files.size > 0) {
    await keepSources(client, { ...about, sourceHash: debug.sourceHash, debug: JSON.stringify(debug), files });
  }
  programs.forgetCurrent(namespace, name);
}

/** Actions that can be started as jobs: runs whose programs are one call. */
export async function registerActions(
  { client, programs, leaseOf }: RegisteringOptions,
  namespace: string,
  actions: readonly RegisteredAction[],
): Promise<void> {
  for (const { name, concurrency, rate } of actions) {
    for (const limit of [concurrency, rate]) checkKey(name, limit?.key ?? null);
  }
  const gate = new Gate(REGISTERING_MAX);
  await Promise.all(
    actions.map(({ name: action, concurrency = null, rate = null }) =>
      gate.pass(() => registerLimits(client, { namespace, action, concurrency, rate })),
    ),
  );
  const jobs = actions.map(({ name, retry }) =>
    registeredJob(name, retry?.attempts ?? DEFAULT_RETRY.attempts, leaseOf(name)),
  );
  await refusing(registerJobs(client, namespace, jobs));
  for (const { name } of jobs) programs.forgetCurrent(namespace, name);
}

/** One that is no program would fail each call. */
function checkKey(name: string, key: LimitKey | null): void {
  if (key === null || "path" in key) return;
  try {
    loadProgram(validateProgram(JSON.parse(key.program) as Program));
  } catch (error) {
    if (!(error instanceof InvalidProgram || error instanceof SyntaxError)) throw error;
    throw new Refused("InvalidMessage", `key of a limit of ${name} is no program: ${error.message}`, { cause: error });
  }
}

function checkedProgram({ name, programHash: said }: RegisteredWorkflow, text: string): Program {
  try {
    const program = validateProgram(JSON.parse(text));
    const found = programHash(program);
    if (found === said) return program;
    throw new Refused("InvalidMessage", `program_hash of ${name} must be that of its program: ${found}`);
  } catch (error) {
    if (!(error instanceof InvalidProgram || error instanceof SyntaxError)) throw error;
    throw new Refused("InvalidMessage", `program of ${name} is no program: ${error.message}`, { cause: error });
  }
}

/** One that is no JSON, or no schema, would fail each start. */
function checkSchema(name: string, schema: string | null): void {
  if (schema === null) return;
  try {
    const parsed = JSON.parse(schema) as unknown;
    if (typeof parsed === "boolean" || (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)))
      return;
  } catch {
    // Said below.
  }
  throw new Refused("InvalidMessage", `input_schema of ${name} is no JSON Schema`);
}
