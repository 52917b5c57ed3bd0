import { action, compensate, workflow } from "cairnjs";

const charge = action("payments.charge", async (order: string) => order);
const refund = action("payments.refund", async (order: string) => order);

export default workflow("orders.pay", async (order: string) => {
  compensate(async () => await refund(order));
  compensate(refund(order));
  return await charge(order);
});
