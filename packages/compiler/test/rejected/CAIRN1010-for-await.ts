import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  for await (const page of input.pages) {
    console.log(page);
  }
});
