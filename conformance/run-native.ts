import { setImmediate } from "node:timers/promises";
import { type Context, Script, createContext } from "node:vm";

/** What Node.js itself makes of a test. */
export type NativeOutcome =
  | { readonly kind: "passed" }
  | { readonly kind: "unparsed"; readonly message: string }
  | { readonly kind: "threw"; readonly name: string; readonly message: string }
  | { readonly kind: "stuck" };

/** A new context costs a millisecond, about as much as a test; only a test that found it changed must not share. */
const TESTS_PER_CONTEXT = 100;

let shared: Context | null = null;
let uses = 0;

export function runInShared(text: string): Promise<NativeOutcome> {
  if (shared === null || uses === TESTS_PER_CONTEXT) {
    shared = createContext({});
    uses = 0;
  }
  uses++;
  return runIn(shared, text);
}

/** In a context that no other test has touched. */
export function runAlone(text: string): Promise<NativeOutcome> {
  return runIn(createContext({}), text);
}

async function runIn(context: Context, text: string): Promise<NativeOutcome> {
  let script: Script;
  try {
    script = new Script(text);
  } catch (error) {
    return { kind: "unparsed", message: String(error) };
  }
  try {
    return await settled(script.runInContext(context, { timeout: 10_000 }) as Promise<unknown>);
  } catch (error) {
    return thrown(error);
  }
}

/** There are no timers in the context: what is pending when all jobs are done stays so. */
async function settled(promise: Promise<unknown>): Promise<NativeOutcome> {
  const outcome = promise.then((): NativeOutcome => ({ kind: "passed" }), thrown);
  return Promise.race([outcome, setImmediate<NativeOutcome>({ kind: "stuck" })]);
}

function thrown(error: unknown): NativeOutcome {
  try {
    if (typeof error !== "object" || error === null) return { kind: "threw", name: "", message: JSON.stringify(error) };
    const { constructor, message } = error as Error;
    return { kind: "threw", name: constructor.name, message };
  } catch {
    return { kind: "threw", name: "", message: "an error that cannot be read" };
  }
}
