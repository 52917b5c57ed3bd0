import { workflow } from "cairnjs";

const sql = (parts: TemplateStringsArray, ...values: unknown[]) => ({ text: parts.join("?"), values });

export default workflow("orders.query", async (id: string) => sql`SELECT * FROM orders WHERE id = ${id}`);
