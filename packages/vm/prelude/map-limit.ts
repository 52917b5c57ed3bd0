/** `mapLimit(items, limit, fn)`: the same text as the SDK's, so that both settle job for job alike. */
export async function cairn_mapLimit(items: unknown, limit: unknown, fn: unknown): Promise<unknown[]> {
  if (typeof limit !== "number" || !$.isWholeNumber(limit) || limit < 1) {
    throw new RangeError("mapLimit() takes a whole number of at least 1 as its limit");
  }
  if (!$.isCallable(fn)) throw new TypeError("mapLimit() takes a function as its last argument");
  const list = [...(items as unknown[])];
  const results: unknown[] = [];
  results.length = list.length;
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
    while (next < list.length && !failed) {
      const index = next++;
      try {
        results[index] = await $.call(fn, undefined, list[index], index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes: Promise<void>[] = [];
  for (let count = 0; count < limit && count < list.length; count++) lanes[count] = lane();
  await Promise.all(lanes);
  return results;
}
