import { chunk } from "lodash-es";
import { action, workflow } from "cairnjs";

function load() {
  return { standard: 5 };
}
const charge = action("charge", async () => 1);
const rates = load();
const chunks = chunk([1], 1);
const made = (() => 1)();
const mapped = [1, 2].map(load);
const lazy = required("x");
const charged = charge();
const upper = "a b".split(" ").map((word) => word.toUpperCase());
const frozen = Object.freeze({ a: Math.max(1, 2), b: [...new Set([1])], c: parseInt("5") });
const tools = { charge, search: action("search", async () => 2), load };

export default workflow("sample", async () => [rates, chunks, made, mapped, lazy, charged, upper, frozen, tools]);
