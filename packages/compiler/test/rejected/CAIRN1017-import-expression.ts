import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const rates = await import("./modules/rates.ts");
  return rates;
});
