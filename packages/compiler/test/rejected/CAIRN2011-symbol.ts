import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const own = Symbol("own");
  return { [Symbol.iterator]: 1, own };
});
