import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return [new Proxy({}, {}), Reflect.ownKeys(input)];
});
