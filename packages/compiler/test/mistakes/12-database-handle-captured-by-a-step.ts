import { step, workflow } from "cairnjs";
import { connect } from "./database.ts";

export default workflow("orders.count", async () => {
  const db = await connect();
  return await step("count", async () => db.query("SELECT count(*) FROM orders"));
});
