import { action, signal, workflow } from "cairnjs";

const charge = action("looking.charge", async (price: number) => price);
const approved = signal<boolean>("approved");

/** With a function in a function, a loop, and something to wait for. */
export const ordering = workflow("looking.order.v1", async (order: { customer: string; prices: number[] }) => {
  const chargeAll = async (): Promise<number[]> => {
    const charged: number[] = [];
    for (const price of order.prices) {
      charged.push(await charge(price));
    }
    return charged;
  };
  const total = (await chargeAll()).reduce((sum, price) => sum + price, 0);
  const places = new Map([[order.customer, 1]]);
  await approved.wait();
  return `${order.customer} pays ${total * places.size}`;
});
