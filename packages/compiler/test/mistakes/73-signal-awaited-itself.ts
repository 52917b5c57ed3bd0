import { action, signal, workflow } from "cairnjs";

const charge = action("cards.charge", async (cents: number) => cents);

export default workflow("orders.approve", async (cents: number) => {
  await signal("approved");
  try {
    return charge(cents);
  } catch (error) {
    return `declined: ${String(error)}`;
  }
});
