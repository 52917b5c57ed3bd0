import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return input.names.sort((a: string, b: string) => a?.localeCompare(b));
});
