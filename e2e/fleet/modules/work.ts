import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { action, currentCall, workflow } from "cairnjs";

/** One attempt: another one that counted would fail the run. */
const ONCE = { retry: { attempts: 1 } };

/** Takes so long. */
const hold = action("fleet.hold", ONCE, async (name: string, ms: number) => {
  const { attempt, signal } = currentCall();
  console.log(`hold ${name} begins, attempt ${attempt}`);
  await delay(ms, undefined, { signal });
  return name;
});

/** Works until there is such a file, and goes on from what the attempt before has told. */
const build = action("fleet.build", ONCE, async (name: string, file: string) => {
  const { attempt, heartbeat, heartbeatDetails, signal } = currentCall();
  let done = (heartbeatDetails as number | undefined) ?? 0;
  console.log(`build ${name} begins with ${done}, attempt ${attempt}`);
  while (!existsSync(file)) {
    await delay(50, undefined, { signal });
    done += 1;
    heartbeat(done);
  }
  return done;
});

export const holding = workflow("fleet.holding.v1", async (input: { name: string; ms: number }) => {
  const name = await hold(input.name, input.ms);
  return name;
});

export const building = workflow("fleet.building.v1", async (input: { name: string; file: string }) => {
  const done = await build(input.name, input.file);
  return done;
});
