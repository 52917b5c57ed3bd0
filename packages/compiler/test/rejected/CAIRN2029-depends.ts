import { depends, workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return depends(input);
});
