import { workflow } from "cairnjs";

export default workflow("invoice.text", async (total: number) => {
  return `Total: ${total.toLocaleString("de-DE")} on ${new Date().toLocaleDateString()}`;
});
