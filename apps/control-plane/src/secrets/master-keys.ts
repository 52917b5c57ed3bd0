import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { EngineError } from "../library/engine-error.ts";
import { KEY_BYTES } from "./envelope.ts";

/** What data keys are wrapped by. */
export interface MasterKey {
  /** Which one it is, for people and tables: nobody comes back to the key by it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Those that a process has: the first one is the one to stay, the other one is being replaced by it. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

export interface MasterKeyOptions {
  /** 32 bytes, as base64 or hex; without it, `CAIRN_MASTER_KEY`, or what is in the file `CAIRN_MASTER_KEY_FILE`. */
  readonly masterKey?: string | undefined;
  /** The one from before, while it is replaced; without it, `CAIRN_MASTER_KEY_OLD` or `CAIRN_MASTER_KEY_OLD_FILE`. */
  readonly oldMasterKey?: string | undefined;
}

const ID_DIGITS = 16;

/** Null: there is none. Throws an EngineError that names what cannot be right, and never says the key. */
export function masterKeysOf(options: MasterKeyOptions = {}, env: NodeJS.ProcessEnv = process.env): MasterKeys | null {
  const current = keyOf("CAIRN_MASTER_KEY", options.masterKey, env);
  const old = keyOf("CAIRN_MASTER_KEY_OLD", options.oldMasterKey, env);
  if (current === null && old === null) return null;
  if (current === null) return refuse("CAIRN_MASTER_KEY_OLD is beside CAIRN_MASTER_KEY: give that too");
  return old === null || old.id === current.id ? [current] : [current, old];
}

function keyOf(name: string, given: string | undefined, env: NodeJS.ProcessEnv): MasterKey | null {
  if (given !== undefined) return parseMasterKey(name, given);
  const said = env[name]?.trim() ?? "";
  const file = env[`${name}_FILE`]?.trim() ?? "";
  if (said !== "" && file !== "") refuse(`${name} and ${name}_FILE say the same thing twice: give one of them`);
  if (said !== "") return parseMasterKey(name, said);
  return file === "" ? null : parseMasterKey(`${name}_FILE`, contentOf(`${name}_FILE`, file));
}

function contentOf(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return refuse(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): ${file}`);
  }
}

export function parseMasterKey(name: string, text: string): MasterKey {
  const said = text.trim();
  const isHex = /^[0-9a-f]{64}$/i.test(said);
  const bytes = Buffer.from(said, isHex ? "hex" : "base64");
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(said);
  if (bytes.length !== KEY_BYTES || !(isHex || isBase64)) {
    return refuse(`${name} has 32 bytes, in base64 or hex: make one with openssl rand -base64 32`);
  }
  const id = createHmac("sha256", bytes).update("cairn master key").digest("hex").slice(0, ID_DIGITS);
  return { id, bytes };
}

function refuse(message: string): never {
  throw new EngineError("InvalidOption", message);
}
