import { action, mapLimit, workflow } from "cairnjs";

class ShardFailed extends Error {
  constructor(
    readonly shard: number,
    options?: { cause?: unknown },
  ) {
    super(`§shard ${shard}`, options);
  }
}

const work = action("work", async (shard: number, items: number[]) => ({
  shard,
  sum: items.reduce((a, b) => a + b, 0),
}));
const cleanUp = action("cleanUp", async (shards: number[]) => shards.length);
const summarise = workflow("summarise", async ({ sums }: { sums: number[] }) => ({
  total: sums.reduce((a, b) => a + b, 0),
  max: Math.max(...sums),
}));

export const input = { numbers: Array.from({ length: 17 }, (_, index) => index * index), shards: 4, quorum: 2 };

export default workflow(
  "fanOut",
  async ({ numbers, shards, quorum }: { numbers: number[]; shards: number; quorum: number }) => {
    const parts: number[][] = Array.from({ length: shards }, () => []);
    numbers.forEach((number, index) => parts[index % shards]!.push(number));

    const started = parts.map(async (items, shard) => {
      try {
        return await work(shard, items);
      } catch (cause) {
        throw new ShardFailed(shard, { cause });
      }
    });
    const settled = await Promise.allSettled(started);
    const good = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const bad = settled.flatMap((result) => (result.status === "rejected" ? [result.reason as ShardFailed] : []));
    if (good.length < quorum) throw new AggregateError(bad, `§only ${good.length} of ${shards}`);

    const again = await mapLimit(bad, 2, async ({ shard }) => {
      try {
        return await work.with({ retry: { attempts: 2 } })(shard, parts[shard]!);
      } catch {
        return { shard, sum: 0 };
      }
    });
    const all = [...good, ...again].sort((a, b) => a.shard - b.shard);
    const [summary, cleaned] = await Promise.all([
      summarise({ sums: all.map(({ sum }) => sum) }).catch((error: unknown) => ({ failed: error })),
      cleanUp(all.map(({ shard }) => shard)).catch(() => -1),
    ]);
    const first = await Promise.any(
      all.map(async ({ shard, sum }) => (sum > 300 ? shard : Promise.reject(new RangeError(`§${sum}`)))),
    ).catch(() => "none");
    return { all, failures: bad.map(({ shard, cause }) => [shard, cause]), summary, cleaned, first };
  },
);
