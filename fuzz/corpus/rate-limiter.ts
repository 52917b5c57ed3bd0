import { action, sleep, workflow } from "cairnjs";

const send = action("send", async (message: string) => message.length);

/** A token bucket on the run's clock. */
function bucket(capacity: number, refillMs: number) {
  let tokens = capacity;
  let last = Date.now();
  const refill = (): void => {
    const now = Date.now();
    const gained = Math.floor((now - last) / refillMs);
    if (gained <= 0) return;
    tokens = Math.min(capacity, tokens + gained);
    last += gained * refillMs;
  };
  return {
    async take(): Promise<number> {
      let waits = 0;
      for (refill(); tokens < 1; refill()) {
        waits++;
        await sleep(Math.max(1, last + refillMs - Date.now()));
      }
      tokens -= 1;
      return waits;
    },
  };
}

export const input = { messages: ["one", "two", "three", "four", "five"], capacity: 2, refillMs: 500 };

export default workflow(
  "sender",
  async ({ messages, capacity, refillMs }: { messages: string[]; capacity: number; refillMs: number }) => {
    const limiter = bucket(capacity, refillMs);
    const sent: [string, boolean][] = [];
    for (const message of messages) {
      const waits = await limiter.take();
      try {
        await send(message);
        sent.push([message, waits > 0]);
      } catch (error) {
        console.error(message, error);
      }
    }
    return sent.map(([message]) => message);
  },
);
