import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return [new WeakMap(), new WeakSet(), new WeakRef(input), FinalizationRegistry];
});
