import { workflow } from "cairnjs";
import pg from "pg";

const db = new pg.Pool({ connectionString: "postgres://localhost/shop" });

export default workflow("orders.count", async () => {
  const { rows } = await db.query("SELECT count(*) FROM orders");
  return rows[0].count;
});
