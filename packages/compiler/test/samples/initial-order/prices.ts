import { limits } from "./limits.ts";

const prices = [1, 2, 3].filter((price) => price < limits.high);
export const total = prices.reduce((sum, price) => sum + price, limits.low);
