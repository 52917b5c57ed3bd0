import { parentPort, workerData } from "node:worker_threads";
import { openBlobs } from "../blobs/open-blobs.ts";
import { openPool } from "../store/connection.ts";
import { SharedCells } from "../runloop/shared-cells.ts";
import { Lives } from "../runloop/lives.ts";
import { packError } from "./packed-error.ts";
import type { FromRunloop, RunloopThreadData, ToRunloop } from "./messages.ts";

const port = parentPort!;
const { settings, blobFolder, cells } = workerData as RunloopThreadData;
const say = (message: FromRunloop): void => port.postMessage(message);

/** Large values go their own way: whatever takes long there delays nothing else. It connects when there is one. */
const blobClient = openPool(settings.url, "blobs");

/** Lives that have begun and wait for what is reported to them. */
const untold: (() => void)[] = [];

const lives = new Lives({
  settings,
  blobs: openBlobs(blobClient, blobFolder),
  random: Math.random,
  cells: new SharedCells(cells),
  begun: () => {
    say({ kind: "begun" });
    return new Promise((resolve) => untold.push(resolve));
  },
  outside: {
    dispatch: (calls) => say({ kind: "dispatch", calls }),
    adopt: (calls) => say({ kind: "adopt", calls }),
    abort: (calls) => say({ kind: "abort", calls }),
    recall: (calls) => say({ kind: "recall", calls }),
    acknowledge: (calls) =>
      say({ kind: "acknowledge", calls: calls.map(({ runId, call, attempt }) => ({ runId, call, attempt })) }),
    ended: (runs) => say({ kind: "ended", runs }),
    notify: (channel) => say({ kind: "notify", channel }),
    warn: (message, error, about) => say({ kind: "warn", message, error: packError(error), about }),
  },
});

port.on("message", (message: ToRunloop) => void take(message));

async function take(message: ToRunloop): Promise<void> {
  switch (message.kind) {
    case "start":
      return start(message.request, message.runs);
    case "outcomes":
      return lives.outcomes(message.outcomes);
    case "strangers":
      return lives.strangers(message.calls);
    case "reported":
      return untold.shift()?.();
    case "unserved":
      return lives.unserved(message.calls);
    case "joined":
      return lives.joined(message.namespace, message.segments);
    case "serve":
      return lives.serve(message.room);
    case "poke":
      return lives.poke();
    case "drain":
      await lives.drain();
      return say({ kind: "drained" });
    case "close":
      await lives.close();
      await blobClient.end();
      say({ kind: "closed" });
      port.close();
  }
}

async function start(request: number, runs: Extract<ToRunloop, { kind: "start" }>["runs"]): Promise<void> {
  try {
    say({ kind: "started", request, runs: await lives.start(runs) });
  } catch (error) {
    say({ kind: "notStarted", request, error: packError(error) });
  }
}

try {
  await lives.open();
  say({ kind: "opened" });
} catch (error) {
  say({ kind: "failed", error: packError(error) });
  port.close();
}
