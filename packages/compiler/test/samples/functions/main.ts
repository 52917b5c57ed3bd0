import { workflow } from "cairnjs";

export default workflow("samples.functions", async () => {
  const results: unknown[] = [hoisted(1)];
  function hoisted(first: number, second = first + 1, ...others: number[]): number[] {
    return [first, second, ...others];
  }
  const named = { arrow: () => 1, method() {}, ["computed" + 1]: () => 2, nested: { deep: async () => 3 } };
  let assigned;
  assigned = function () {};
  const shadowed = (a: number, read = () => a) => {
    var a = 2;
    return [a, read()];
  };
  results.push(hoisted.apply(null, [1]), hoisted(...([3, 4] as [number, number])), new Date(...([0] as [number])));
  {
    results.push(inBlock());
    function inBlock() {
      return "block";
    }
  }
  return [results, named, assigned, shadowed(1)];
});
