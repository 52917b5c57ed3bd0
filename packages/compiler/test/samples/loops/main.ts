import { workflow } from "cairnjs";

export default workflow("samples.loops", async (n: number) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum + i * 2) % 1000003;
  const readers: (() => number)[] = [];
  for (let i = 0, first = () => i; i < 3; i++) readers.push(() => i + first());
  outer: while (true) {
    do {
      if (sum > 10) break outer;
      sum += 1;
      if (sum % 2) continue;
    } while (sum < 5);
    for (const key in { a: 1 }) sum += key.length;
  }
  for (const [index, { value = index }] of [[1, { value: 2 }]] as [number, { value?: number }][]) sum += value;
  return [sum, readers.map((read) => read())];
});
