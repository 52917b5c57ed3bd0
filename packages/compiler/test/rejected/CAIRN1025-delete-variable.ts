import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  let draft = 1;
  delete draft;
  return draft;
});
