import type { Node } from "oxc-parser";
import { memberAround, type CheckContext } from "./context.ts";
import { isKnownGlobal } from "./globals.ts";
import { staticMemberName } from "./shape.ts";

/** What to write instead of something from a module of Node.js: the workflow's own way if it has one, or an action. */
export function nodeAdvice(node: Node, name: string, specifier: string, context: CheckContext): string {
  const module = moduleName(specifier);
  const exported = exportedName(node, name, context);
  if (isKnownGlobal(exported)) return `write \`${exported}\` without the import: it is a global that bodies have too`;
  const own = ways.find(({ modules, names }) => modules.test(module) && names.test(exported));
  return own?.instead ?? `use ${name} in an action and ${restOf(exported, name)}`;
}

export function isNodeModule(specifier: string): boolean {
  return specifier.startsWith("node:") || nodeModules.has(specifier.split("/")[0] ?? "");
}

/** `timers/promises` of `node:timers/promises`. */
function moduleName(specifier: string): string {
  return specifier.replace(/^node:/, "");
}

/** As the module calls it, whatever it is called here: `setTimeout` of `timers.setTimeout` or `{ setTimeout as wait }`. */
function exportedName(node: Node, name: string, context: CheckContext): string {
  const imported = node.type === "Identifier" ? context.module.imports.get(node.name)?.name : undefined;
  if (imported !== undefined && imported !== "*" && imported !== "default") return imported;
  return staticMemberName(memberAround(node, context) ?? node) ?? name;
}

function restOf(exported: string, name: string): string {
  return /Stream$|^(?:Readable|Writable|Duplex|Transform|pipeline|createInterface)$/.test(exported)
    ? 'read or write it to its end there, since a stream cannot be stored: `await readFile(path, "utf8")` does so'
    : `return what the workflow needs: \`action("name", async (…) => ${name}…)\``;
}

interface Way {
  readonly modules: RegExp;
  readonly names: RegExp;
  readonly instead: string;
}

/** The first that fits. */
const ways: readonly Way[] = [
  way(/^timers/, /^(?:setImmediate|clearImmediate)$/, "let other code run first with `await null`"),
  way(/^timers/, /./, 'wait with `await sleep("5 minutes")` from cairnjs, which is durable'),
  way(
    /^crypto$/,
    /^(?:randomUUID|webcrypto)$/,
    "write `crypto.randomUUID()` without the import: the global one works in bodies, and gives the same after a restart",
  ),
  way(
    /^crypto$/,
    /^random/,
    "use `Math.random()` or `crypto.randomUUID()` without an import; make secrets in an action that keeps them",
  ),
  way(/^assert/, /./, 'throw an error: `if (total < 0) throw new Error("total is negative")`'),
  way(/^perf_hooks$/, /^performance$/, "use `Date.now()`, which gives the time of the input being processed"),
  way(/^buffer$/, /^Buffer$/, "use Uint8Array, TextEncoder and TextDecoder, and `btoa`/`atob` for base64"),
  way(/^v8$/, /^(?:de)?serialize$/, "copy values with `structuredClone(value)`, a global that bodies have too"),
  way(/^process$/, /./, "pass settings in the workflow's input, or read them in an action that returns them"),
  way(/^querystring$/, /./, "use `new URLSearchParams(…)`, a global that bodies have too"),
  way(/^events$/, /./, 'wait for a signal, `await signal("approved").wait()`, or call the functions that listen'),
  way(/^async_hooks$/, /^AsyncLocalStorage$/, "pass the value as an argument to what needs it"),
  way(
    /^util$/,
    /^(?:format|inspect)$/,
    "write a template text, `JSON.stringify(…)`, or `console.log(…)`, which formats",
  ),
  way(/^path/, /./, "put the path together in the action that uses it, or write it as a text: `${folder}/${file}`"),
];

function way(modules: RegExp, names: RegExp, instead: string): Way {
  return { modules, names, instead };
}

const NODE_MODULES =
  "assert async_hooks buffer child_process cluster console crypto dgram diagnostics_channel dns domain events fs http " +
  "http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream " +
  "string_decoder timers tls trace_events tty url util v8 vm wasi worker_threads zlib";
const nodeModules: ReadonlySet<string> = new Set(NODE_MODULES.split(" "));
