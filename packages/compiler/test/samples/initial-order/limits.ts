import { total } from "./prices.ts";

// A circle of imports: prices.ts needs these values at once, this module needs it only later.
export const limits = { low: [].length, high: [0, 0].length, sum: () => total };
