import { action, signal, workflow } from "cairnjs";

/** For the tests of the command line. */
const charge = action("shop.charge.v1", async (cents: number) => ({ receipt: `R-${cents}` }));

const declines = action("shop.decline.v1", { retry: { attempts: 1 } }, async (order: string): Promise<string> => {
  throw new RangeError(`no money for ${order}`);
});

const checkout = workflow("shop.checkout.v1", async (input: { order: string; cents: number }) => {
  const { receipt } = await charge(input.cents);
  const second = await charge(input.cents + 1);
  return { order: input.order, receipt, second: second.receipt };
});

const broken = workflow("shop.broken.v1", async (order: string) => declines(order));

const approval = signal<{ by: string }>("approval");

const approving = workflow("shop.approving.v1", async () => {
  const { by } = await approval.wait();
  return `approved by ${by}`;
});

export const operatedFlows = [checkout, broken, approving];
