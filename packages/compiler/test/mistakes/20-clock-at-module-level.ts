import { workflow } from "cairnjs";

const STARTED = Date.now();

export default workflow("report.age", async () => Date.now() - STARTED);
