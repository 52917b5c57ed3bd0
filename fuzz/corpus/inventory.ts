import { action, compensate, workflow } from "cairnjs";

interface Stock {
  warehouse: string;
  sku: string;
  available: number;
  expires?: Date;
}

interface Line {
  sku: string;
  quantity: number;
}

const readStock = action("readStock", async (skus: string[]): Promise<Stock[]> =>
  STOCK.filter(({ sku }) => skus.includes(sku)),
);
const take = action("take", async (warehouse: string, sku: string, quantity: number) => ({ warehouse, sku, quantity }));
const putBack = action("putBack", async (taken: { warehouse: string }) => taken.warehouse);

const DAY = 24 * 60 * 60 * 1000;
const STOCK: Stock[] = [
  { warehouse: "north", sku: "milk", available: 3, expires: new Date(5 * DAY) },
  { warehouse: "south", sku: "milk", available: 10, expires: new Date(2 * DAY) },
  { warehouse: "north", sku: "salt", available: 100 },
  { warehouse: "west", sku: "milk", available: 4 },
  { warehouse: "west", sku: "rice", available: 0 },
];

function groupBy<T, K extends PropertyKey>(items: readonly T[], key: (item: T) => K): Record<K, T[]> {
  const groups = {} as Record<K, T[]>;
  for (const item of items) (groups[key(item)] ??= []).push(item);
  return groups;
}

export const input: { lines: Line[]; partial: boolean } = {
  lines: [
    { sku: "milk", quantity: 12 },
    { sku: "salt", quantity: 7 },
    { sku: "rice", quantity: 1 },
    { sku: "tea", quantity: 2 },
  ],
  partial: true,
};

export default workflow("allocate", async ({ lines, partial }: { lines: Line[]; partial: boolean }) => {
  const stock = groupBy(await readStock(lines.map(({ sku }) => sku)), ({ sku }) => sku);
  const plan: { warehouse: string; sku: string; quantity: number }[] = [];
  const short = new Map<string, number>();
  for (const { sku, quantity } of lines) {
    let missing = quantity;
    // First what expires first, then what never does, then the fullest warehouse.
    const sources = (stock[sku] ?? []).toSorted(
      (a, b) => (a.expires?.getTime() ?? Infinity) - (b.expires?.getTime() ?? Infinity) || b.available - a.available,
    );
    for (const { warehouse, available } of sources) {
      if (missing === 0) break;
      const part = Math.min(available, missing);
      if (part === 0) continue;
      plan.push({ warehouse, sku, quantity: part });
      missing -= part;
    }
    if (missing > 0) short.set(sku, missing);
  }
  if (short.size > 0 && !partial) throw new RangeError(`§short of ${[...short.keys()].join()}`);
  const taken: unknown[] = [];
  for (const { warehouse, sku, quantity } of plan) {
    const parcel = await take(warehouse, sku, quantity);
    compensate(putBack, parcel);
    taken.push(parcel);
  }
  const byWarehouse = Object.entries(groupBy(plan, ({ warehouse }) => warehouse)).map(
    ([name, parts]) => [name, parts.reduce((sum, part) => sum + part.quantity, 0)] as const,
  );
  return { taken, short, byWarehouse };
});
