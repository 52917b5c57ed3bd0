import { attempt, type AttemptOutcome, decodeCopy, encodeCopy, ENGINE_ERRORS, LazyAbort } from "cairnjs/host";
import { CallContext } from "../host/call-context.ts";
import { taskOf } from "../host/task.ts";
import { loadModules } from "../modules.ts";
import type { FromThread, ThreadTask } from "./thread-task.ts";

let loaded: Promise<void> | null = null;

/** The entry of a thread: one try of an action, whose time is watched by the main thread. */
export default async function runInThread({ modules, dispatch, notes, port }: ThreadTask): Promise<AttemptOutcome> {
  loaded ??= loadModules(modules);
  await loaded;
  const abort = new LazyAbort();
  port.on("message", (reason: string) => abort.abort(decodeCopy({ text: reason, classes: ENGINE_ERRORS })));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, no window
  const say = (what: FromThread): void => port.postMessage(what);
  try {
    const task = taskOf(dispatch);
    if (task instanceof Error) return { kind: "error", value: encodeCopy(task, "error").text, retry: null };
    const context = new CallContext(dispatch, notes, abort, say);
    const { args, options } = dispatch;
    say(null);
    return await attempt({ task, args, options, abort, context, isUntimed: true });
  } finally {
    port.close();
  }
}
