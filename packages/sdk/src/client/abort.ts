interface Heard {
  readonly calls: Set<() => void>;
  readonly listener: () => void;
}

/** Of the whole process: one signal may be that of many clients. */
const heard = new WeakMap<AbortSignal, Heard>();

/**
 * Calls when a signal is aborted, until what is returned is called. However many listen, the signal has one listener: Node.js warns of
 * more than ten, and to raise that number takes a module that browsers do not have. It has none when nobody listens any more.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const { calls, listener } = heard.get(signal) ?? heardOf(signal);
  calls.add(call);
  return () => {
    if (!calls.delete(call) || calls.size > 0) return;
    signal.removeEventListener("abort", listener);
    heard.delete(signal);
  };
}

function heardOf(signal: AbortSignal): Heard {
  const calls = new Set<() => void>();
  const listener = (): void => {
    for (const call of calls) call();
  };
  const made = { calls, listener };
  heard.set(signal, made);
  signal.addEventListener("abort", listener);
  return made;
}
