import { workflow } from "cairnjs";

export default workflow("shop.cart", async (prices: number[]) => {
  class Cart {
    total = 0;
    add(price: number) {
      this.total += price;
    }
  }
  const cart = new Cart();
  for (const price of prices) cart.add(price);
  return cart.total;
});
