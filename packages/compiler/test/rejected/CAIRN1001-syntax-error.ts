import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const total = ;
  return total;
});
