import { step, workflow } from "cairnjs";

export default workflow("orders.total", async (prices: number[]) => {
  const order = {
    prices,
    async total() {
      return await step("total", async () => this.prices.reduce((sum, price) => sum + price, 0));
    },
  };
  return await order.total();
});
