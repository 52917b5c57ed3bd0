import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const item = {
    label() {
      return super.toString();
    },
  };
  return item;
});
