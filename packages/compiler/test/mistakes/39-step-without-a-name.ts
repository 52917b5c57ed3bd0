import { step, workflow } from "cairnjs";

export default workflow("orders.ship", async (id: string) => {
  return await step(async () => `shipped ${id}`);
});
