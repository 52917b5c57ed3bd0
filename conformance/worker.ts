import { parentPort, workerData } from "node:worker_threads";
import { judgeAll } from "./judge-all.ts";

/** A thread of its own for a part of the tests. */
parentPort!.postMessage(await judgeAll(workerData as string[]), []);
