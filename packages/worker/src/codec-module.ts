import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { PayloadCodec } from "cairnjs/host";
import { ModulesFailed } from "./modules.ts";

/** The codec for sealed values, which is what a module exports as `codec` or by default. Null: there is no module. */
export async function loadCodec(file: string | null): Promise<PayloadCodec | null> {
  if (file === null) return null;
  await import("cairnjs/register");
  const name = relative(process.cwd(), file);
  let module: { readonly codec?: unknown; readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    throw new ModulesFailed(`CAIRN_CODEC, ${name}, cannot be loaded: ${String(error)}`, { cause: error });
  }
  const codec = module.codec ?? module.default;
  if (isCodec(codec)) return codec;
  throw new ModulesFailed(
    `CAIRN_CODEC, ${name}, exports no codec: { encode(bytes), decode(bytes) }, as codec or by default`,
  );
}

function isCodec(value: unknown): value is PayloadCodec {
  const { encode, decode } = (value ?? {}) as Partial<PayloadCodec>;
  return typeof encode === "function" && typeof decode === "function";
}
