import { ActionTimeout, action, sleep, workflow } from "cairnjs";

class GaveUp extends Error {
  constructor(
    readonly attempts: number,
    options: { cause: unknown },
  ) {
    super(`§gave up after ${attempts}`, options);
    this.name = "GaveUp";
  }
}

let calls = 0;
const flaky = action("flaky", async (until: number) => {
  calls += 1;
  if (calls < until) throw Object.assign(new Error("§not yet"), { calls });
  return { calls };
});
const steady = action("steady", async (value: unknown) => ({ value }));

interface Policy {
  attempts?: number;
  baseMs?: number;
  factor?: number;
  capMs?: number;
  retryIf?: (error: unknown, attempt: number) => boolean;
}

async function retry<T>(
  work: (attempt: number) => Promise<T>,
  { attempts = 4, baseMs = 100, factor = 2, capMs = 1000, retryIf = () => true }: Policy = {},
): Promise<T> {
  let last: unknown;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      last = error;
      if (!retryIf(error, attempt)) break;
      const delay = Math.min(capMs, baseMs * factor ** (attempt - 1));
      if (attempt < attempts) await sleep(delay);
    }
  }
  throw new GaveUp(attempts, { cause: last });
}

export default workflow("retry", async () => {
  const log: unknown[] = [];
  const note = <T>(label: string, promise: Promise<T>): Promise<void> =>
    promise.then(
      (value) => void log.push([label, value]),
      (error: unknown) =>
        void log.push([label, error instanceof GaveUp ? [error.name, error.attempts, error.cause] : error]),
    );
  await note(
    "flaky",
    retry(() => flaky(3)),
  );
  await note(
    "steady",
    retry((attempt) => steady({ attempt }), { attempts: 1 }),
  );
  await note(
    "never",
    retry(() => flaky(1_000), { attempts: 2, retryIf: (error) => !(error instanceof ActionTimeout) }),
  );
  await note(
    "sync",
    retry(async () => JSON.parse("{") as unknown, { attempts: 2, baseMs: 1 }).catch(
      (error: unknown) => (error as Error).cause instanceof SyntaxError,
    ),
  );
  await Promise.all([
    note(
      "parallel a",
      retry(() => steady(1)),
    ),
    note(
      "parallel b",
      retry(() => steady(2), { factor: 3 }),
    ),
  ]);
  return log;
});
