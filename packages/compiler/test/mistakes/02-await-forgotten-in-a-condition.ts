import { action, workflow } from "cairnjs";

const isPaid = action("orders.isPaid", async (id: string) => id.length > 3);

export default workflow("orders.ship", async (id: string) => {
  if (isPaid(id)) return "shipped";
  return "waiting";
});
