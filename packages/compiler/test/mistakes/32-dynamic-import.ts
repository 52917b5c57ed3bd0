import { workflow } from "cairnjs";

export default workflow("report.build", async (rows: number[]) => {
  const { format } = await import("./format.ts");
  return rows.map(format);
});
