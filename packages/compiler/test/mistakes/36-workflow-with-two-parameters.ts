import { workflow } from "cairnjs";

export default workflow("orders.ship", async (orderId: string, address: string) => `${orderId} to ${address}`);
