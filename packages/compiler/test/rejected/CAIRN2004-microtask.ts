import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  queueMicrotask(() => {});
  setImmediate(() => {});
});
