import { workflow } from "cairnjs";

export default workflow("samples.closures", async (start: number) => {
  let count = start;
  const untouched = 1;
  const increment = () => (count += untouched);
  function early() {
    return late;
  }
  const late = increment() + early.length;
  const deep = () => () => () => count++;
  const self = function again(times: number): number {
    return times > 0 ? again(times - 1) : [1].map(() => again.length).length;
  };
  const object = {
    factor: 2,
    double(values: number[]) {
      return values.map((value) => value * this.factor);
    },
  };
  return [increment(), early(), deep()()(), self(2), object.double([1])];
});
