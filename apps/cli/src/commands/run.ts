import { encodeNative } from "@cairnjs/ir";
import { readSettings, Refused, SettingsMistake, silenceServerNames } from "@cairnjs/worker";
import { errorTitle } from "cairnjs/testing/internal";
import { CannotRun } from "../cannot-run.ts";
import { RunsClient } from "../client/runs-client.ts";
import type { Output } from "../output/output.ts";
import { readEnvironment } from "../settings/config-file.ts";
import { CONNECTION_SETTINGS, type Environment } from "../settings/known-settings.ts";
import { UsageMistake } from "../usage-mistake.ts";

export interface RunFlags {
  readonly input?: string;
  readonly idempotencyKey?: string;
  readonly wait?: true;
  readonly json?: true;
}

/** `cairn run TYPE`: 1 if it cannot be started or, with `--wait`, does not succeed. */
export async function runCommand(
  type: string,
  flags: RunFlags,
  environment: Environment,
  output: Output,
): Promise<number> {
  const env = await readEnvironment(environment, CONNECTION_SETTINGS, flags);
  const input = encodedInput(flags.input);
  silenceServerNames();
  const client = new RunsClient(settingsOf(env));
  try {
    return await startAndWait(client, type, input, flags, output);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new CannotRun(error.code === null ? error.message : `${error.code}: ${error.message}`, { cause: error });
  } finally {
    client.close();
  }
}

async function startAndWait(
  client: RunsClient,
  type: string,
  input: string,
  flags: RunFlags,
  output: Output,
): Promise<number> {
  const started = await client.start(type, input, flags.idempotencyKey ?? null);
  if (started.kind === "error") throw new CannotRun(`${started.error.code}: ${started.error.message}`);
  const { id } = started;
  const isJson = flags.json === true;
  if (!isJson) output.line(id);
  if (flags.wait !== true) {
    if (isJson) output.line(JSON.stringify({ id }));
    return 0;
  }
  const { status, value } = await client.end(id);
  const text = await client.textOf(value);
  const isGood = status === "succeeded";
  // Values stand in the line as they are encoded.
  if (isJson) output.line(`{"id":"${id}","status":"${status}","${isGood ? "result" : "error"}":${text}}`);
  else if (isGood) output.line(`${output.paint(["bold", "green"], "result")} ${text}`);
  else output.line(`${output.paint(["bold", "red"], status)} ${errorTitle(text)}`);
  return isGood ? 0 : 1;
}

/** Without one it is `undefined`, as for a workflow that takes none. */
function encodedInput(given: string | undefined): string {
  if (given === undefined) return encodeNative(undefined);
  try {
    JSON.parse(given);
  } catch (error) {
    throw new UsageMistake(`--input is not JSON: ${(error as Error).message}`);
  }
  // Verbatim: whether it is a value, and fits, the control plane says, which knows codecs and schemas.
  return given;
}

function settingsOf(env: Environment): ReturnType<typeof readSettings> {
  try {
    return readSettings(env, 1);
  } catch (error) {
    throw error instanceof SettingsMistake ? new CannotRun(error.message, { cause: error }) : error;
  }
}
