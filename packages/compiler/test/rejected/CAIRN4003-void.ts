import { action, workflow } from "cairnjs";

const charge = action("charge", async (n: number) => n);
async function helper() {}

export default workflow("sample", async (input: any) => {
  void charge(1);
  void helper();
  input.items.forEach((item: number) => void charge(item));
  void 0;
});
