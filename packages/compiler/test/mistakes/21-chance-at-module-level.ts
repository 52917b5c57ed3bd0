import { randomUUID } from "node:crypto";
import { workflow } from "cairnjs";

const SEED = Math.random();
const BATCH = randomUUID();

export default workflow("lottery.draw", async () => `${BATCH}: ${SEED}`);
