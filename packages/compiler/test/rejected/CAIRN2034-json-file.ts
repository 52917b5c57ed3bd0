import { workflow } from "cairnjs";
import rates, { standard } from "./modules/rates.json" with { type: "json" };

export default workflow("sample", async () => rates.standard + standard);
