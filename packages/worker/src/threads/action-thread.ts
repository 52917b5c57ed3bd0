import { context } from "@opentelemetry/api";
import {
  attempt,
  type AttemptOutcome,
  decodeCopy,
  encodeCopy,
  ENGINE_ERRORS,
  LazyAbort,
  type PayloadCodec,
} from "cairnjs/host";
import { contextOf } from "../host/attempt-span.ts";
import { CallContext } from "../host/call-context.ts";
import { ChunkStream } from "../host/chunk-stream.ts";
import type { Logger, LogLevel } from "../host/log.ts";
import { taskOf } from "../host/task.ts";
import { loadCodec } from "../codec-module.ts";
import { loadModules } from "../modules.ts";
import type { FromThread, ThreadTask, ToThread } from "./thread-task.ts";
import { tell, type Told } from "./told.ts";

let loaded: Promise<void> | null = null;
let codec: Promise<PayloadCodec | null> | null = null;

/** The entry of a thread: one try of an action, whose time is watched by the main thread. */
export default async function runInThread({
  modules,
  dispatch,
  notes,
  secrets,
  codec: codecModule,
  port,
  logs,
}: ThreadTask): Promise<AttemptOutcome> {
  loaded ??= loadModules(modules);
  await loaded;
  codec ??= loadCodec(codecModule);
  const payloads = await codec;
  const abort = new LazyAbort();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, no window
  const say = (what: FromThread): void => port.postMessage(what);
  let said = 0;
  const chunks = new ChunkStream(() => {
    for (const chunk of chunks.after(said)) {
      said = chunk.number;
      say({ kind: "chunk", chunk });
    }
  });
  port.on("message", (message: ToThread) => {
    if (message.kind === "taken") return chunks.acknowledge(message.number);
    const reason = decodeCopy({ text: message.reason, classes: ENGINE_ERRORS });
    abort.abort(reason);
    chunks.abort(reason);
  });
  try {
    const task = taskOf(dispatch);
    if (task instanceof Error) return { kind: "error", value: encodeCopy(task, "error").text, retry: null };
    const about = new CallContext(
      dispatch,
      notes,
      abort,
      {
        tell: (details) => say({ kind: "details", details }),
        stream: (chunk) => chunks.take(chunk),
      },
      logs ? threadLogger(say) : null,
      secrets ?? undefined,
    );
    const { args, options } = dispatch;
    say({ kind: "begun" });
    const outcome = await context.with(contextOf(dispatch), () =>
      attempt({ task, args, options, abort, context: about, codec: payloads, isUntimed: true }),
    );
    about.end();
    // The outcome goes another way, and must not overtake them.
    await chunks.admitted();
    await chunks.taken();
    return outcome;
  } finally {
    port.close();
  }
}

function threadLogger(say: (what: FromThread) => void): Logger {
  const write =
    (level: LogLevel) =>
    (facts: object, message: string): void => {
      const told = Object.entries(facts).map(([name, fact]): [string, Told] => [name, tell(fact)]);
      say({ kind: "log", level, facts: told, message: tell(message) });
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
