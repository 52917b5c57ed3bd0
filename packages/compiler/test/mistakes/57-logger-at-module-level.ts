import { workflow } from "cairnjs";
import pino from "pino";

const log = pino();

export default workflow("orders.ship", async (id: string) => {
  log.info({ id }, "shipping");
  return id;
});
