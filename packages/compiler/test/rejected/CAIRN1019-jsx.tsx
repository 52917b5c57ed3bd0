import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return [<p title="x">{input.name}</p>, <></>];
});
