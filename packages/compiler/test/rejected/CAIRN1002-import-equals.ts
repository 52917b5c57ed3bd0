import { workflow } from "cairnjs";
import settings = require("./modules/rates.ts");

export default workflow("sample", async () => settings);
