import { workflow } from "cairnjs";
import { total } from "./prices.ts";
import { limits } from "./limits.ts";

// Callbacks that a call runs at once read constants from above.
const factor = [2].length;
const doubled = [1, 2].map((x) => x * factor);
const shown = `${{ toString: () => `factor ${factor}` }}`;

// A function that is only stored does not.
const table = { later: () => doubled.length, size: factor };
const kept = [table].map((entry) => entry.size + total);

export default workflow("samples.initial-order", async () => {
  return [kept, shown, table.later(), limits];
});
