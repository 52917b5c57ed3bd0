import { action, signal, workflow } from "cairnjs";

const prefix = "orders.";
const count = [1].length;
const charge = action(prefix + count, async () => 1);
const approved = signal(`approved${count}`);
export const known = action(`${prefix}ship`, async () => 1);
export const missing = workflow();

export default workflow("sample", async () => {
  await approved.wait();
  return await charge();
});
