import { jobProgram, programHash } from "@cairnjs/ir";
import { ATTEMPTS_MAX } from "@cairnjs/schemas";
import type { RegisteredJob } from "../store/register-jobs.ts";

/** What an action is as the type of runs: one call. Its payload is checked where it runs, as all arguments are. */
export function registeredJob(name: string, attempts: number, leaseMs: number | null | undefined): RegisteredJob {
  const program = jobProgram(name);
  const maxAttempts = Math.min(ATTEMPTS_MAX, attempts);
  return { name, version: programHash(program), program: JSON.stringify(program), maxAttempts, leaseMs };
}
