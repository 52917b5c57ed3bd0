import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  process.nextTick(() => {});
  return process.env["HOME"];
});
