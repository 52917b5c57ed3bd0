import { action, workflow } from "cairnjs";

const charge = action("charge", async (item: number) => item);
const pool = { map: async (fn: (item: number) => Promise<number>) => await fn(1) };

export default workflow("orders.charge", async (items: number[]) => {
  await items.map(async (item) => item + 1);
  await (items.length > 1 ? items.flatMap(charge) : null);
  await Array.from(items, (item) => charge(item));
  const list = [charge(1), charge(2)];
  await list;
  // These are promises, or lists of something else.
  await pool.map(charge);
  await Promise.all(list);
  await items.map((item) => item + 1);
});
