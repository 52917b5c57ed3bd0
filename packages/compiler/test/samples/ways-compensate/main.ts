import { action, compensate, sleep, workflow } from "cairnjs";

const charge = action("charge", async (n: number) => n);
const refund = action("refund", async (n: number) => n);
const cancel = action("cancel", async (n: number) => n);

/** The refund runs when the run has failed: it stands in no way and hangs off the call that registers it. */
export const order = workflow("order", async (n: number) => {
  const receipt = await charge(n);
  compensate(refund, receipt);
  await sleep(1);
  compensate(refund.with({ id: "late" }), await charge(2));
  compensate(n > 1 ? refund : cancel, n);
});
