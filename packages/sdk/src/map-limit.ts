/**
 * Like `Promise.all(items.map(fn))`, with at most `limit` under way at a time: the first ones start in order, each
 * end starts the next. The first rejection rejects it and starts no more. The machine's prelude has the same text,
 * so that both settle job for job alike.
 */
export async function mapLimit<Item, Result>(
  items: Iterable<Item>,
  limit: number,
  fn: (item: Item, index: number) => Result | PromiseLike<Result>,
): Promise<Result[]> {
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1) {
    throw new RangeError("mapLimit() takes a whole number of at least 1 as its limit");
  }
  if (typeof fn !== "function") throw new TypeError("mapLimit() takes a function as its last argument");
  const list = [...items];
  const results: Result[] = [];
  results.length = list.length;
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
    while (next < list.length && !failed) {
      const index = next++;
      try {
        results[index] = await fn(list[index] as Item, index);
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
