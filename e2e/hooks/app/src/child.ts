import { workflow } from "cairnjs";
// A circle: order.ts imports this module.
import { PRICES } from "./order.js";

export const quote = workflow("shop.quote.v1", async (items: string[]) => {
  let sum = 0;
  for (const item of items) sum += PRICES[item] ?? 0;
  return sum;
});
