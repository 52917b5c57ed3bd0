import { primitiveNames, type PrimitiveName, type Resolution, type UnknownReason } from "../resolution.ts";
import type { Module } from "./module.ts";

/** The package whose exports mean something to the compiler. */
export const CAIRN = "cairnjs";

export function cairnExport(name: string): Resolution {
  if (name === "sleep" || name === "signal" || name === "compensate") {
    return { kind: "durable", durable: name, name: "", declaration: null, module: null };
  }
  if ((primitiveNames as readonly string[]).includes(name)) return { kind: "primitive", name: name as PrimitiveName };
  return unknown(name, "cairn");
}

export function unknown(name: string, why: UnknownReason, broken: Module | null = null): Resolution {
  return { kind: "unknown", name, why, broken };
}
