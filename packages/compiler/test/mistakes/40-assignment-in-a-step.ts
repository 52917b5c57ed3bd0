import { step, workflow } from "cairnjs";

export default workflow("orders.count", async () => {
  let count = 0;
  await step("count", async () => {
    count = 42;
  });
  return count;
});
