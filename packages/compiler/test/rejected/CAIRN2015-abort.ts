import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const controller = new AbortController();
  return [controller, AbortSignal.timeout(5), new EventTarget()];
});
