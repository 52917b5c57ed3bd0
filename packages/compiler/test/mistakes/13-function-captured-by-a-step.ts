import { step, workflow } from "cairnjs";

export default workflow("report.build", async (rows: number[]) => {
  const format = (row: number) => row.toFixed(2);
  return await step("write", async () => rows.map(format).join("\n"));
});
