import { workflow } from "cairnjs";
import { missing } from "./modules/rates.ts";
import * as rates from "./modules/rates.ts";

export default workflow("sample", async () => [missing, rates.absent, rates.standard]);
