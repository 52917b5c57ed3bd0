import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  with (input) {
    console.log(name);
  }
});
