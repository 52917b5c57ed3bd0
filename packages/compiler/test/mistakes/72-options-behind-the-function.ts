import { action, workflow } from "cairnjs";

const charge = action("cards.charge", async (cents: number) => cents, { retry: { attempts: 3 } });

export default workflow("orders.pay", async (cents: number) => {
  return await charge(cents);
});
