import { parentPort, workerData } from "node:worker_threads";
import { SharedCells } from "../runloop/shared-cells.ts";
import { Keeper } from "../keeper/keeper.ts";
import { packError } from "./packed-error.ts";
import { type FromKeeper, type KeeperThreadData, type ToKeeper } from "./messages.ts";

/** Leases are kept in a thread of their own: no program and no action can keep it from doing so. */
const port = parentPort!;
const { url, namespace, heartbeatMs, chunksKeptMs } = workerData as KeeperThreadData;
const say = (message: FromKeeper): void => port.postMessage(message);

const keeper = new Keeper({
  url,
  namespace,
  heartbeatMs,
  chunksKeptMs,
  woken: () => say({ kind: "woken" }),
  quarantined: () => say({ kind: "quarantine" }),
  warn: (message, error) => say({ kind: "warn", message, error: packError(error) }),
});

port.on("message", (message: ToKeeper) => {
  switch (message.kind) {
    case "keep":
      return keeper.keep(new SharedCells(message.cells));
    case "wake":
      return keeper.wake();
    case "close":
      return void close();
  }
});

async function close(): Promise<void> {
  await keeper.close();
  say({ kind: "closed" });
  port.close();
}

keeper.open();
