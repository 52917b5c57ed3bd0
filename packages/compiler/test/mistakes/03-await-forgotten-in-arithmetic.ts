import { action, workflow } from "cairnjs";

const price = action("shop.price", async (sku: string) => sku.length);

export default workflow("shop.total", async (skus: string[]) => {
  let total = 0;
  for (const sku of skus) total += price(sku);
  return total;
});
