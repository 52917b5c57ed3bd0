import { workflow } from "cairnjs";
import { db } from "./handle.ts";

export default workflow("orders.count", async () => await db.query("SELECT count(*) FROM orders"));
