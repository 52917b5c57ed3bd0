/**
 * The promise, or an error when Node has nothing left to do: what it waits for will never come, and the process
 * would end in silence.
 */
export async function beforeSilence<T>(promise: Promise<T>, error: () => Error): Promise<T> {
  let giveUp: (() => void) | undefined;
  const silence = new Promise<never>((_, reject) => {
    giveUp = () => reject(error());
    process.once("beforeExit", giveUp);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    if (giveUp !== undefined) process.off("beforeExit", giveUp);
  }
}
