import { action, currentCall, step, workflow } from "cairnjs";

/** Executions of `hold`, in the order they began: tests end them. */
export const holds: {
  readonly key: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly details: unknown;
  readonly end: (value: string) => void;
}[] = [];

const repeat = action("distant.repeat", async (text: string, times: number) => text.repeat(times));
const hold = action("distant.hold", async (key: string): Promise<string> => {
  const { attempt, signal, heartbeat, heartbeatDetails: details } = currentCall();
  heartbeat({ told: attempt });
  return await new Promise<string>((end) => holds.push({ key, attempt, signal, details, end }));
});

export const stepping = workflow("distant.stepping.v1", async (text: string) => {
  const long = await repeat(text, 200_000);
  const length = await step("measure", async () => long.length);
  return length;
});

export const holding = workflow("distant.holding.v1", async (key: string) => await hold(key));
