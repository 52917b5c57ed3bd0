import { action, workflow } from "cairnjs";

const charge = action("shop.page.charge", async (cents: number) => `R-${cents}`);

/** For docs/client.md, which calls it by a name of its own. */
export const checkout = workflow(
  "shop.page.v1",
  async (input: { order: string; cents: number }) => await charge(input.cents),
);
