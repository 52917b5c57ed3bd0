import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  if (input === 1) {
    return misspelt + typeof undeclared;
  }
  misspelt = 1;
  helper(input);
});
