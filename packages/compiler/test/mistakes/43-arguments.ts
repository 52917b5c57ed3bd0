import { workflow } from "cairnjs";

function sum() {
  return [...arguments].reduce((total, n) => total + n, 0);
}

export default workflow("numbers.sum", async () => sum(1, 2, 3));
