import { workflow } from "cairnjs";

export default workflow("shop.order", async (prices: number[]) => {
  const order = {
    prices,
    get total() {
      return this.prices.reduce((sum, price) => sum + price, 0);
    },
  };
  return order.total;
});
