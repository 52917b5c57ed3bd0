import { action, workflow } from "cairnjs";

const mapAll = action("rows.map", async (rows: number[], convert: (row: number) => string) => rows.map(convert));

export default workflow("rows.format", async (rows: number[]) => {
  return await mapAll(rows, (row) => row.toFixed(2));
});
