import { action, workflow } from "cairnjs";

const load = action("load", async (key: string) => ({
  key,
  size: key.length,
  stamp: [...key].map((c) => c.codePointAt(0)),
}));

interface Cache<T> {
  get(key: string): Promise<T>;
  peek(key: string): T | undefined;
  keys(): string[];
  readonly stats: { hits: number; misses: number; evictions: number; joined: number };
}

/** Least recently used out first; concurrent misses of one key share one load. */
function newCache<T>(capacity: number, fetch: (key: string) => Promise<T>): Cache<T> {
  const entries = new Map<string, T>();
  const pending = new Map<string, Promise<T>>();
  const stats = { hits: 0, misses: 0, evictions: 0, joined: 0 };
  const remember = (key: string, value: T): void => {
    entries.delete(key);
    entries.set(key, value);
    while (entries.size > capacity) {
      const [oldest] = entries.keys();
      entries.delete(oldest!);
      stats.evictions++;
    }
  };
  return {
    stats,
    peek: (key) => entries.get(key),
    keys: () => [...entries.keys()],
    async get(key) {
      if (entries.has(key)) {
        stats.hits++;
        const value = entries.get(key)!;
        remember(key, value);
        return value;
      }
      const running = pending.get(key);
      if (running !== undefined) {
        stats.joined++;
        return running;
      }
      stats.misses++;
      const loading = fetch(key).finally(() => pending.delete(key));
      pending.set(key, loading);
      const value = await loading;
      remember(key, value);
      return value;
    },
  };
}

export default workflow("lru", async () => {
  const cache = newCache(2, (key) => load(key));
  const order: string[] = [];
  const ask = async (key: string): Promise<void> => {
    try {
      const { size } = await cache.get(key);
      order.push(`${key}:${size}`);
    } catch {
      order.push(`${key}:failed`);
    }
  };
  await Promise.all(["a", "bb", "a", "ccc"].map(ask));
  const first = cache.keys();
  for (const key of ["bb", "a", "😀", "a"]) await ask(key);
  const same = cache.peek("a") === cache.peek("a");
  return { order, first, last: cache.keys(), stats: cache.stats, same, peeked: cache.peek("😀") };
});
