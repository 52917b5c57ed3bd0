import { workflow } from "cairnjs";
import { Cart } from "./cart.ts";

export default workflow("shop.cart", async (prices: number[]) => {
  const cart = new Cart();
  for (const price of prices) cart.add(price);
  return cart.total;
});
