import { workflow } from "cairnjs";

export default workflow("numbers.sum", async () => {
  const range = {
    *[Symbol.iterator]() {
      yield 1;
      yield 2;
    },
  };
  let sum = 0;
  for (const n of range) sum += n;
  return sum;
});
