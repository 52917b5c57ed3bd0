import { readFile } from "node:fs/promises";
import type { SecretReference } from "@cairnjs/schemas";

/** The process has not what a reference names. */
export class SecretMissing extends Error {
  override name = "SecretMissing";
}

/** It is read each time a sink is opened: nothing of it is stored. */
export async function readSecret(reference: SecretReference): Promise<string> {
  const secret = "env" in reference ? fromEnvironment(reference.env) : await fromFile(reference.file);
  const text = secret.trim();
  if (text === "") throw new SecretMissing(`The secret in ${nameOf(reference)} is empty`);
  return text;
}

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new SecretMissing(`The secret ${name} is not in the environment of the process`);
  return value;
}

async function fromFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new SecretMissing(`The secret in the file ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function nameOf(reference: SecretReference): string {
  return "env" in reference ? reference.env : reference.file;
}
