import { signal, sleep, workflow } from "cairnjs";

const approved = signal("approved");

export default workflow("expenses.approve", async () => {
  await sleep("3 dayz");
  await approved.wait({ timeout: "5 mins?" });
});
