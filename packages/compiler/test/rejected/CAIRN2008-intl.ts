import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return new Intl.NumberFormat("en").format(1);
});
