import { action, workflow } from "cairnjs";

const inStock = action("stock.has", async (item: string) => item !== "");

export default workflow("orders.pick", async (items: string[]) => {
  return items.filter(async (item) => await inStock(item));
});
