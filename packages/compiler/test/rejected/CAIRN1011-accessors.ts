import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const name = "x";
  return {
    get total() {
      return 1;
    },
    set total(value) {
      console.log(value);
    },
    get [name]() {
      return 2;
    },
  };
});
