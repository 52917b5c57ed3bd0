import { action, workflow } from "cairnjs";

const load = action("orders.load", async (id: string) => ({ id }));

export const orders = {
  ship: workflow("orders.ship", async (id: string) => await load(id)),
  cancel: workflow("orders.cancel", async (id: string) => await load(id)),
};
