import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  debugger;
  return 1;
  debugger;
});
