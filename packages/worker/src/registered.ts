import type { WorkflowDefinition } from "cairnjs";
import {
  argumentsSchemaOf,
  declaredActions,
  declaredLimits,
  declaredWorkflows,
  type JsonSchema,
  refuseClash,
  requireCompiled,
  secretNames,
  startSchemaOf,
} from "cairnjs/host";
import {
  ACTIONS_MAX,
  fitsInBytes,
  FRAME_BYTES_MAX,
  inFrames,
  INLINE_BYTES_MAX,
  type LongText,
  type RegisteredAction,
  type RegisteredWorkflow,
  type Value,
} from "@cairnjs/protocol";
import { retryPolicy } from "./host/retry-policy.ts";
import type { Connection } from "./session/connection.ts";

/** Of the sources of one workflow: further ones are put as blobs. */
const SOURCES_BYTES_MAX = 512 * 1024;
/** Of a hello: there is room for names, however many. */
const SCHEMAS_LENGTH_MAX = FRAME_BYTES_MAX / 8;

/** All actions that this process has declared. Throws if a name stands for two different ones. */
export function registeredActions(): RegisteredAction[] {
  return declaredActions().map((definition) => {
    const { name, options } = definition;
    refuseClash("action", name);
    return {
      name,
      inputSchema: inlineSchema(argumentsSchemaOf(definition)),
      retry: retryPolicy(options.retry ?? {}),
      heartbeatTimeoutMs: null,
      isolate: options.isolate ?? "none",
      ...limitsOf(definition),
      ...secretsOf(definition),
    };
  });
}

function limitsOf(definition: Parameters<typeof declaredLimits>[0]): Pick<RegisteredAction, "concurrency" | "rate"> {
  const { concurrency, rate } = declaredLimits(definition);
  return { ...(concurrency === null ? {} : { concurrency }), ...(rate === null ? {} : { rate }) };
}

function secretsOf({ name, options }: Parameters<typeof declaredLimits>[0]): Pick<RegisteredAction, "secrets"> {
  const secrets = secretNames(name, options.needs);
  return secrets.length === 0 ? {} : { secrets: [...secrets] };
}

/** Null for one that is too long to travel: then nothing is said of it. */
function inlineSchema(schema: JsonSchema | null): string | null {
  const text = schema === null ? null : JSON.stringify(schema);
  return text !== null && fitsInBytes(text, INLINE_BYTES_MAX) ? text : null;
}

/** Whether a worker for these beginnings of names serves an action, or the steps of a workflow: without any, whatever it has. */
function isServed(name: string, prefixes: readonly string[] | null): boolean {
  // A name without a dot is a segment too.
  return prefixes === null || prefixes.some((prefix) => `${name}.`.startsWith(prefix));
}

/**
 * What a hello says of them: the actions that are served here, and the steps of workflows, which are called like actions. One
 * program has several roles so: all of it is registered, and can be started, whoever runs it.
 */
export function helloActions(
  registered: readonly RegisteredAction[],
  prefixes: readonly string[] | null,
): RegisteredAction[] {
  const actions = registered.filter(({ name }) => isServed(name, prefixes));
  const steps = declaredWorkflows().flatMap(({ name, compiled }) =>
    isServed(name, prefixes) ? [...(compiled?.steps.keys() ?? [])] : [],
  );
  const schemasLength = actions.reduce((sum, { inputSchema }) => sum + (inputSchema?.length ?? 0), 0);
  const all = [
    ...(schemasLength <= SCHEMAS_LENGTH_MAX ? actions : actions.map((each) => ({ ...each, inputSchema: null }))),
    ...steps.map(stepAction),
  ];
  if (all.length <= ACTIONS_MAX) return all;
  throw new Error(`The modules have ${all.length} actions and steps: a worker has at most ${ACTIONS_MAX}`);
}

/** Runs of these versions are sent here rather than to workers with others. */
export function helloWorkflows(
  prefixes: readonly string[] | null,
): { readonly name: string; readonly version: string }[] {
  return declaredWorkflows().flatMap(({ name, options, compiled }) =>
    compiled === undefined || !isServed(name, prefixes) ? [] : [{ name, version: options.version ?? compiled.version }],
  );
}

function stepAction(name: string): RegisteredAction {
  return { name, inputSchema: null, heartbeatTimeoutMs: null, retry: retryPolicy({}), isolate: "none" };
}

/** Makes all that this process has declared known to a control plane, so that it can be started. */
export async function register(
  connection: Connection,
  namespace: string,
  actions: readonly RegisteredAction[],
): Promise<void> {
  const workflows: RegisteredWorkflow[] = [];
  for (const definition of declaredWorkflows()) workflows.push(await registeredWorkflow(connection, definition));
  // Whoever loads a workflow finds the limits of its actions.
  for (const batch of inFrames(actions)) await connection.register({ namespace, workflows: [], actions: batch });
  for (const batch of inFrames(workflows)) await connection.register({ namespace, workflows: batch, actions: [] });
}

async function registeredWorkflow(connection: Connection, definition: WorkflowDefinition): Promise<RegisteredWorkflow> {
  const { name, options } = definition;
  refuseClash("workflow", name);
  const compiled = requireCompiled(definition);
  const schema = startSchemaOf(definition, compiled);
  const value = async (text: string): Promise<Value> =>
    fitsInBytes(text, INLINE_BYTES_MAX) ? { json: text } : { blob: await connection.putBlob(Buffer.from(text)) };
  const sources: RegisteredWorkflow["sources"] = [];
  let left = SOURCES_BYTES_MAX;
  for (const [file, text] of compiled.sources) {
    const fits = fitsInBytes(text, Math.min(left, INLINE_BYTES_MAX));
    if (fits) left -= Buffer.byteLength(text);
    const content: LongText = fits ? { text } : { blob: await connection.putBlob(Buffer.from(text)) };
    sources.push({ name: file, content });
  }
  return {
    name,
    version: options.version ?? compiled.version,
    programHash: compiled.hash,
    program: await value(JSON.stringify(compiled.program)),
    inputSchema: schema === null ? null : await value(JSON.stringify(schema)),
    maxAttempts: 1,
    tags: [...(options.tags ?? [])],
    sources,
  };
}
