import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return [eval("1"), Function("return 1")(), new Function("return 1"), input instanceof Function];
});
