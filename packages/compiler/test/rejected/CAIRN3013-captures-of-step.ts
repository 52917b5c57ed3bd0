import { action, signal, step, workflow } from "cairnjs";

const shared = (n: number) => n * 2;
const charge = action("charge", async () => 1);

export default workflow("sample", async (input: any) => {
  function local() {}
  const double = (n: number) => n * 2;
  const pattern = /x/;
  const pending = charge();
  const approved = signal("approved");
  const order = await charge();
  await step("work", async () => [local, double, pattern, pending, approved, order, input, shared(1)]);
  await pending;
});
