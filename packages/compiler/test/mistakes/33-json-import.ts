import { workflow } from "cairnjs";
import rates from "./rates.json" with { type: "json" };

export default workflow("rates.convert", async (amount: number) => amount * rates.EUR);
