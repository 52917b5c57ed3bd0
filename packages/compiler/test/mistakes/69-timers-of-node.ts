import { setTimeout } from "node:timers/promises";
import { workflow } from "cairnjs";

export default workflow("users.remind", async () => {
  await setTimeout(60_000);
  return "reminded";
});
