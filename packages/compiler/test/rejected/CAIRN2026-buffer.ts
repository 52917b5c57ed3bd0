import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return Buffer.from("x");
});
