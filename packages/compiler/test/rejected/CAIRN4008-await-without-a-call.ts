import { action, signal, sleep, workflow } from "cairnjs";

const charge = action("charge", async (cents: number) => cents);
const approved = signal("approved");
const child = workflow("child", async () => 1);
const helper = async () => 1;
const table = { charge, helper };

export default workflow("sample", async (input: { later: Promise<number> }) => {
  const own = signal("own");
  await charge;
  await charge.with({ timeout: 5 });
  await sleep;
  await child;
  await helper;
  await table.charge;
  await approved;
  await own;
  await signal("inline");
  await (async () => 1);
  // These are promises, or may be.
  await input.later;
  await table.helper();
  await own.wait();
});
