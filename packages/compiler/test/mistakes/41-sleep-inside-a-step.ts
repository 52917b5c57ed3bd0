import { sleep, step, workflow } from "cairnjs";

export default workflow("orders.poll", async () => {
  return await step("poll", async () => {
    await sleep("1 minute");
    return "ready";
  });
});
