import { workflow } from "cairnjs";

export default workflow("sample", async () => {
  let a = 1;
  let a = 2;
  break;
  return a + 010;
});
