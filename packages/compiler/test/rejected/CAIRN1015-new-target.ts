import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  function make() {
    return new.target;
  }
  return make();
});
