/** Timers count no further: 24.8 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Calls after so long, however long that is, unless what is returned is called before. */
export function startTimer(ms: number, call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const count = (leftMs: number): void => {
    const partMs = Math.min(leftMs, TIMER_MS_MAX);
    timer = setTimeout(() => (partMs === leftMs ? call() : count(leftMs - partMs)), partMs);
  };
  count(ms);
  return () => clearTimeout(timer);
}
