import { workflow } from "cairnjs";
import { z } from "zod";

const Order = z.object({ id: z.string(), cents: z.number() });
type Order = z.infer<typeof Order>;

export default workflow("orders.ship", async (order: Order) => order.id);
