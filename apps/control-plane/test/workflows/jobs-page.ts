import { action } from "cairnjs";

export const refund = action(
  "billing.refund.v1",
  { retry: { attempts: 5, baseMs: 1_000, capMs: 60_000 }, timeout: "30 s" },
  async ({ order, cents }: { order: string; cents: number }) => {
    return { order, refunded: cents };
  },
);
