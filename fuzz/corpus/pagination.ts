import { action, workflow } from "cairnjs";

interface Page<T> {
  items: T[];
  next?: string | null;
}

class PageLimit extends Error {
  pages = 0;
}

const fetchPage = action(
  "fetchPage",
  async (cursor: string | undefined, size: number): Promise<Page<{ id: number; tags: Set<string> }>> => {
    const start = cursor === undefined ? 0 : Number(atob(cursor));
    const items = Array.from({ length: Math.min(size, Math.max(0, 7 - start)) }, (_, index) => ({
      id: start + index,
      tags: new Set([`t${(start + index) % 3}`]),
    }));
    const next = start + size < 7 ? btoa(String(start + size)) : null;
    return { items, next };
  },
);
const store = action("store", async (batch: unknown[]) => batch.length);

async function collect<T>(
  fetch: (cursor: string | undefined) => Promise<Page<T>>,
  onPage: (items: T[], page: number) => Promise<void> | void,
  limit = 10,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  let page = 0;
  do {
    if (page >= limit) throw Object.assign(new PageLimit("§too many pages"), { pages: page });
    const { items, next } = await fetch(cursor);
    await onPage(items, page++);
    all.push(...items);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const chunk = <T>(items: readonly T[], size: number): T[][] =>
  items.length === 0 ? [] : [items.slice(0, size), ...chunk(items.slice(size), size)];

export default workflow("pages", async () => {
  const seen: [number, number][] = [];
  let pending: Promise<number>[] = [];
  const all = await collect(
    (cursor) => fetchPage(cursor, 3),
    (items, page) => {
      seen.push([page, items.length]);
      pending.push(store(items));
    },
  );
  const stored = (await Promise.allSettled(pending)).map((result) =>
    result.status === "fulfilled" ? result.value : -1,
  );
  pending = [];
  let limited: unknown;
  try {
    await collect(
      (cursor) => fetchPage(cursor, 1),
      async () => {},
      2,
    );
  } catch (error) {
    limited = error instanceof PageLimit ? ["limit", error.pages] : error;
  }
  const tags = new Map<string, number[]>();
  for (const { id, tags: own } of all) for (const tag of own) tags.set(tag, [...(tags.get(tag) ?? []), id]);
  return {
    seen,
    stored,
    limited,
    tags,
    chunks: chunk(
      all.map(({ id }) => id),
      2,
    ),
  };
});
