const WAIT_MS_MAX = 20_000;

/** What `find` gives once it gives something. */
export async function until<T>(find: () => T | undefined | false | null, what = "what is waited for"): Promise<T> {
  const end = performance.now() + WAIT_MS_MAX;
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false && found !== null) return found;
    if (performance.now() > end) throw new Error(`It has not come: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
}
