// A process that is killed: the engine on the database of its environment, and actions that leave a file per try.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCairn } from "@cairnjs/control-plane";
import { action, compensate, currentCall, sleep, workflow } from "cairnjs";

const folder = process.env["EFFECTS"]!;

/** What others can count: run, call and try are in the name. */
function leaveEffect(): void {
  const { idempotencyKey, attempt } = currentCall();
  writeFileSync(join(folder, `${idempotencyKey.replace("/", "_")}_${attempt}`), "");
}

const work = action("crash.work.v1", async (ms: number, value: number) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  leaveEffect();
  return value + 1;
});

const shaky = action("crash.shaky.v1", { retry: { attempts: 3, baseMs: 50 } }, async (value: number) => {
  leaveEffect();
  if (currentCall().attempt === 1) throw new Error("the first try fails");
  return value * 2;
});

const undo = action("crash.undo.v1", async () => leaveEffect());

const child = workflow("crash.child.v1", async (n: number) => {
  compensate(undo);
  const value = await work(20, n);
  if (n % 2 === 1) throw new RangeError(`odd ${value}`);
  return value;
});

export const crashing = workflow("crash.parent.v1", async ({ n, steps }: { n: number; steps: number }) => {
  let sum = 0;
  for (let i = 0; i < steps; i++) {
    const both = await Promise.all([work(40, i), work(10, n)]);
    sum += both[0] + both[1];
    if (i % 10 === 3) await sleep(30);
    if (i % 10 === 6) {
      try {
        sum += await shaky(i);
      } catch {
        sum -= 1;
      }
    }
    if (i % 10 === 9) {
      try {
        sum += await child(i + n);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        sum += 1000;
      }
    }
  }
  return sum;
});

const leaseMs = Number(process.env["LEASE_MS"] ?? 30_000);
const cairn = await createCairn({ concurrency: 500, leaseMs, heartbeatMs: leaseMs / 3, onWarning: () => {} });
process.on("SIGTERM", () => void cairn.close().then(() => process.exit(0)));
console.log("ready");
