import { action, emit, runInfo, sleep, workflow } from "cairnjs";

const deliver = action("orders.deliver", async (id: string) => {
  await sleep("1 minute");
  emit("delivered", { id, run: runInfo().id });
});

export default workflow("orders.ship", async (id: string) => {
  await deliver(id);
});
