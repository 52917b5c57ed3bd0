const SIGNALS = [
  ["SIGINT", 2],
  ["SIGTERM", 15],
] as const;

/** Resolves with the first signal that asks the process to end. A second one ends it at once. */
export function asked(): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    let wasAsked = false;
    for (const [signal, number] of SIGNALS) {
      process.on(signal, () => {
        if (wasAsked) process.exit(128 + number);
        wasAsked = true;
        resolve(signal);
      });
    }
  });
}
