import { SignalTimeout, action, signal, sleep, workflow } from "cairnjs";

type Status = { state: "queued" | "running" | "done" | "failed"; percent: number };

class TimedOut extends Error {
  constructor(
    readonly waitedMs: number,
    readonly last?: Status,
  ) {
    super("§timed out");
  }
}

let polls = 0;
const check = action("check", async (job: string): Promise<Status> => {
  polls++;
  if (job === "slow") return { state: "running", percent: Math.min(99, polls) };
  return polls < 3 ? { state: "queued", percent: 0 } : { state: polls > 4 ? "done" : "running", percent: polls * 20 };
});

const finished = signal<{ job: string }>("finished");

export const signals = { finished: [{ job: "other" }] };

const timeout = async (ms: number): Promise<never> => {
  await sleep(ms);
  throw new TimedOut(ms);
};

async function poll(job: string, everyMs: number, rounds: number, onChange: (status: Status) => void): Promise<Status> {
  let last: Status | undefined;
  for (let round = 0; round < rounds; round++) {
    const status = await check(job);
    if (status.state !== last?.state || status.percent !== last.percent) onChange(status);
    last = status;
    if (status.state === "done" || status.state === "failed") return status;
    await sleep(everyMs * (round + 1));
  }
  throw new TimedOut(rounds * everyMs, last);
}

export default workflow("poll", async () => {
  const changes: string[] = [];
  const outcome: unknown[] = [];
  for (const job of ["quick", "slow"]) {
    try {
      const won = await Promise.race([
        poll(job, 100, 4, ({ state, percent }) => changes.push(`${job} ${state} ${percent > 0}`)),
        timeout(60_000),
      ]);
      outcome.push(won.state);
    } catch (error) {
      outcome.push(error instanceof TimedOut ? ["timeout", error.last?.state] : error);
    }
  }
  const first = await Promise.any([
    finished.wait({ timeout: "1 h" }).then(({ job }) => `signal of ${job}`),
    sleep("2 h").then(() => "slept"),
    Promise.reject(new Error("§ignored")),
  ]).catch((error: unknown) =>
    error instanceof AggregateError
      ? error.errors.map((each: unknown) => (each instanceof SignalTimeout ? "timeout" : "other"))
      : "none",
  );
  return { outcome, first, changes };
});
