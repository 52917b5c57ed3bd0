import { action, compensate, emit, mapLimit, progress, runInfo, signal, sleep, workflow, ActionTimeout } from "cairnjs";

const charge = action("payments.charge", { retry: { attempts: 3 } }, async (cents: number) => cents);
const refund = action("payments.refund", async (cents: number) => cents);
const approved = signal<boolean>("approved");
export const child = workflow("child", async (n: number) => n);

export const checkout = workflow("shop.checkout.v1", async (input: { items: number[] }) => {
  for (const item of input.items) {
    if (item > 100) {
      await charge.with({ id: "large", timeout: "5 m" })(item);
    } else {
      await charge(item);
    }
    compensate(refund, item);
  }
  progress(0.5);
  try {
    const answer = await approved.wait({ timeout: "2 days" });
    switch (answer) {
      case true:
        await child(1);
        break;
      default:
        await child.start(2);
    }
  } catch (error) {
    if (!(error instanceof ActionTimeout)) throw error;
    await sleep(1000);
  } finally {
    emit("checked", runInfo().id);
  }
  const named = signal("dynamic");
  const retry = async () => {
    await charge(1);
    await charge(1);
  };
  await retry();
  return [await mapLimit(input.items, 2, charge), await Promise.all(input.items.map(async (i) => refund(i))), named];
});

export default checkout;
