import { readFile } from "node:fs/promises";
import type { SecretReference } from "@cairnjs/schemas";
import { type Allowed, checkLinks, checkReference, fileIn } from "./allowed.ts";

/** The process has not what a reference names. */
export class SecretMissing extends Error {
  override name = "SecretMissing";
}

/** Who reads secrets of namespaces: by name, those that are there. */
export interface SecretReader {
  read(namespace: string, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export type ReadSecret = (reference: SecretReference) => Promise<string>;

/** It is read each time a sink is opened: nothing of it is kept. */
export async function readSecret(
  reference: SecretReference,
  namespace: string,
  secrets: SecretReader,
  allowed: Allowed | null,
): Promise<string> {
  // It may have been made by someone else than this process, and be allowed elsewhere.
  checkReference(reference, allowed);
  const secret = await textOf(reference, namespace, secrets, allowed?.secretsFolder ?? null);
  const text = secret.trim();
  if (text === "") throw new SecretMissing(`The secret in ${nameOf(reference)} is empty`);
  return text;
}

async function textOf(
  reference: SecretReference,
  namespace: string,
  secrets: SecretReader,
  folder: string | null,
): Promise<string> {
  if ("env" in reference) return fromEnvironment(reference.env);
  if ("file" in reference) return fromFile(reference.file, folder);
  const { secret: name } = reference;
  const found = (await secrets.read(namespace, [name])).get(name);
  if (found === undefined) throw new SecretMissing(`There is no secret ${name} in ${namespace}`);
  return found;
}

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new SecretMissing(`The secret ${name} is not in the environment of the process`);
  return value;
}

/** Where there is a folder, nothing outside of it is read. */
async function fromFile(named: string, folder: string | null): Promise<string> {
  const path = folder === null ? named : fileIn(named, folder, "CAIRN_SUBSCRIPTION_SECRETS");
  if (folder !== null) await checkLinks(path, folder);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new SecretMissing(`The secret in the file ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

export function nameOf(reference: SecretReference): string {
  if ("env" in reference) return reference.env;
  return "file" in reference ? reference.file : reference.secret;
}
