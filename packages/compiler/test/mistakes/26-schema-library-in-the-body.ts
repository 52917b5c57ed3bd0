import { workflow } from "cairnjs";
import { z } from "zod";

const Order = z.object({ id: z.string() });

export default workflow("orders.check", async (input: unknown) => {
  const order = Order.parse(input);
  return order.id;
});
