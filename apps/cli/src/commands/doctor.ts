import {
  declareRestored,
  DatabaseUnusable,
  examineDatabase,
  type Finding,
  MigrationRefused,
} from "@cairnjs/control-plane/operator";
import type { Health } from "@cairnjs/schemas/rest";
import { CannotRun } from "../cannot-run.ts";
import { confirm } from "../output/confirm.ts";
import type { Output } from "../output/output.ts";
import { NoAnswer, type RestClient } from "../rest/rest-client.ts";
import type { Environment } from "../settings/known-settings.ts";
import { databaseUrl } from "./migrate.ts";

export interface DoctorFlags {
  readonly restored?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** `cairn doctor`: looks at the database and the control plane; 1 if something is wrong. */
export async function doctorCommand(
  client: RestClient,
  flags: DoctorFlags,
  env: Environment,
  output: Output,
): Promise<number> {
  if (flags.restored === true) return declare(flags, env, output);
  const findings = [...(await ofDatabase(env)), await ofControlPlane(client)];
  const problems = findings.filter(({ state }) => state === "problem").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  if (flags.json === true) output.line(JSON.stringify({ findings, problems, warnings }));
  else for (const finding of findings) tell(finding, output);
  return problems === 0 ? 0 : 1;
}

async function ofDatabase(env: Environment): Promise<readonly Finding[]> {
  const url = env["DATABASE_URL"]?.trim() ?? "";
  if (url !== "") return examineDatabase(url, Date.now, env);
  const says = "It was not looked at: give its address (DATABASE_URL, --database-url)";
  return [{ check: "connection", state: "warning", says, details: [] }];
}

/** It may be elsewhere, or not started yet: that is no problem of the database's. */
async function ofControlPlane(client: RestClient): Promise<Finding> {
  const check = "control plane";
  try {
    const { controlPlane, ready, now } = await client.get<Health>("/health");
    const skewMs = Math.abs(Date.parse(now) - Date.now());
    if (!ready)
      return { check, state: "problem", says: `${controlPlane} answers, and its leases are not kept`, details: [] };
    const state = skewMs > 5_000 ? "warning" : "ok";
    const says = `${controlPlane} answers${state === "ok" ? "" : `; its time is ${Math.round(skewMs / 1_000)} s from that of this machine`}`;
    return { check, state, says, details: [] };
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    return { check, state: error instanceof NoAnswer ? "warning" : "problem", says: error.message, details: [] };
  }
}

const MARKS = { ok: ["green", "✓"], warning: ["yellow", "!"], problem: ["red", "✗"] } as const;

function tell({ check, state, says, details }: Finding, output: Output): void {
  const [style, mark] = MARKS[state];
  output.line(`${output.paint(style, mark)} ${output.paint("dim", check.padEnd(14))}${says}`);
  for (const detail of details) output.line(`    ${detail}`);
}

/** `--restored`: once after a database was restored from a backup, before anything runs on it. */
async function declare(flags: DoctorFlags, env: Environment, output: Output): Promise<number> {
  const url = databaseUrl(env);
  await confirm(
    "declare that this database was restored from a backup? Whoever holds runs loses them",
    flags.yes === true,
  );
  try {
    const changed = await declareRestored(url);
    const { incarnation, owners, freed } = changed;
    if (flags.json === true) output.line(JSON.stringify(changed));
    else output.line(`incarnation ${incarnation}: ${owners} owners are gone, ${freed} runs are free`);
    return 0;
  } catch (error) {
    if (!(error instanceof DatabaseUnusable) && !(error instanceof MigrationRefused)) throw error;
    throw new CannotRun(error.message, { cause: error });
  }
}
