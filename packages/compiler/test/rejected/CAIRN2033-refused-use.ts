import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return [new String("x"), new Number(1), new Boolean(true), String(1)];
});
