import { workflow } from "cairnjs";
import { rates } from "./modules/no-such-file.ts";

export default workflow("sample", async () => rates);
