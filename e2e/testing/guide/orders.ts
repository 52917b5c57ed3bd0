import { action, compensate, emit, signal, sleep, step, workflow } from "cairnjs";

export class Refused extends Error {}

export const charge = action("orders.charge", { timeout: "30 s" }, async (cents: number) => ({
  payment: `pay-${cents}`,
}));
export const refund = action("orders.refund", async (payment: string) => `refunded ${payment}`);
export const sendMail = action("mail.send.v1", async (to: string, text: string) => `${text} to ${to}`);
export const approved = signal<{ by: string }>("approved");

export const order = workflow("orders.order", async ({ cents, to }: { cents: number; to: string }) => {
  const { payment } = await charge(cents);
  compensate(refund, payment);
  const { by } = await approved.wait({ timeout: "3 days" });
  if (by === "nobody") throw new Refused("nobody approved it");
  await sleep("2 hours");
  const text = await step("text", async () => `Your order of ${cents / 100} €`);
  await sendMail(to, text);
  emit("orders.shipped.v1", { payment });
  return payment;
});

export const newsletter = workflow("mail.newsletter", async (names: string[]) => {
  const sent: string[] = [];
  await Promise.all(names.map(async (name) => sent.push(await sendMail(name, "News"))));
  return sent;
});

export const weekly = workflow("mail.weekly", async () => {
  for (;;) {
    await sleep("1 week");
    await newsletter(["ada", "grace"]);
  }
});
