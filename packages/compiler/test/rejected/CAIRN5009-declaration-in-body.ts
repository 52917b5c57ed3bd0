import { action, workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const charge = action("charge", async () => 1);
  const child = workflow("child", async () => 1);
  return [await charge(), child];
});
