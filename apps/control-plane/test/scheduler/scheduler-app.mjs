// A process that starts what is due, again and again, until it is killed: the scheduler of a control plane, and nothing else of
// it, since the others would have to keep up with a clock that goes a year in a minute.
import { setTimeout as pause } from "node:timers/promises";
import { Starter } from "../../dist/library/starter.js";
import { Programs } from "../../dist/runloop/programs.js";
import { Scheduler } from "../../dist/scheduler/scheduler.js";
import { openPool } from "../../dist/store/connection.js";

const client = openPool(process.env.DATABASE_URL, "killed scheduler");
const programs = new Programs(client, () => performance.now());
const starter = new Starter({ client, programs, now: () => Date.now() });
const scheduler = new Scheduler({
  client,
  prepare: (request) => starter.prepare(request),
  now: () => Date.now(),
  tell: () => {},
  firingsMax: 1_000,
  count: () => {},
  warn: () => {},
});
console.log("ready");
for (;;) {
  // As the scheduler itself does: what went wrong is tried again.
  await scheduler.fireDue().catch(() => {});
  await pause(10);
}
