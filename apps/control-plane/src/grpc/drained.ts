import type { Writable } from "node:stream";

/** Resolves when a call takes more, or nobody is there any more. Leaves nothing behind: a slow reader is waited for often. */
export function drained(call: Pick<Writable, "on" | "off">, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve();
    const goOn = (): void => {
      call.off("drain", goOn);
      gone.removeEventListener("abort", goOn);
      resolve();
    };
    call.on("drain", goOn);
    gone.addEventListener("abort", goOn);
  });
}
