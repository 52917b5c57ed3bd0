import { workflow } from "cairnjs";
import * as rates from "./modules/rates.ts";

export default workflow("sample", async (input: any) => {
  return [rates, rates[input], rates.standard];
});
