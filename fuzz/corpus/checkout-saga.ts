import { action, compensate, emit, progress, workflow } from "cairnjs";

interface Item {
  sku: string;
  quantity: number;
  cents: number;
}

interface Order {
  id: string;
  customer: string;
  items: Item[];
  coupon?: string;
}

class PaymentDeclined extends Error {
  readonly retryable: boolean;
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "PaymentDeclined";
    this.retryable = code === "try_later";
  }
}

class OutOfStock extends Error {
  constructor(readonly sku: string) {
    super(`§${sku} is sold out`);
  }
}

const reserve = action("reserve", async (sku: string, quantity: number) => ({
  reservation: `${sku}-${quantity}`,
  sku,
}));
const release = action("release", async (reservation: string) => `released ${reservation}`);
const charge = action("charge", { retry: { attempts: 3 } }, async (customer: string, cents: number) => {
  if (cents > 100_000) throw new PaymentDeclined("limit", "§over the limit");
  return { payment: `pay-${customer}-${cents}`, at: new Date(1_700_000_000_000) };
});
const refund = action("refund", async (payment: string) => payment.length);
const ship = action(
  "ship",
  async (reservations: string[]) => new Map(reservations.map((name, index) => [name, `parcel-${index}`])),
);
const notify = action("notify", async (customer: string, text: string) => void [customer, text]);

const DISCOUNTS: Record<string, number> = { TEN: 0.1, HALF: 0.5 };
const TAX = 0.19;

function totalOf(items: readonly Item[], coupon: string | undefined): { net: number; tax: number; gross: number } {
  const sum = items.reduce((total, { quantity, cents }) => total + quantity * cents, 0);
  const net = Math.round(sum * (1 - (DISCOUNTS[coupon ?? ""] ?? 0)));
  const tax = Math.round(net * TAX);
  return { net, tax, gross: net + tax };
}

async function withRetry<T>(attempts: number, work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      console.warn("attempt", attempt, error);
      if (attempt >= attempts || (error instanceof PaymentDeclined && !error.retryable)) throw error;
    }
  }
}

export const input: Order = {
  id: "o-1",
  customer: "ann",
  coupon: "TEN",
  items: [
    { sku: "book", quantity: 2, cents: 1999 },
    { sku: "lamp", quantity: 1, cents: 4500 },
    { sku: "pen", quantity: 12, cents: 99 },
  ],
};

export default workflow("checkout", async (order: Order) => {
  const total = totalOf(order.items, order.coupon);
  progress({ stage: "reserving", total });
  const reservations: string[] = [];
  const outcomes = await Promise.allSettled(order.items.map(({ sku, quantity }) => reserve(sku, quantity)));
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === "fulfilled") {
      reservations.push(outcome.value.reservation);
      compensate(release, outcome.value.reservation);
    } else {
      console.error("reserving failed", order.items[index]!.sku, outcome.reason);
    }
  }
  if (reservations.length < order.items.length) {
    const missing = order.items.find((_, index) => outcomes[index]!.status === "rejected");
    throw new OutOfStock(missing?.sku ?? "nothing");
  }
  progress({ stage: "charging" });
  const { payment, at } = await withRetry(2, () => charge(order.customer, total.gross));
  compensate(refund, payment);
  let parcels: Map<string, string>;
  try {
    parcels = await ship(reservations);
  } finally {
    emit("checkout.charged", { order: order.id, payment, at });
  }
  try {
    await notify(order.customer, `Your order ${order.id}: ${[...parcels.values()].join(", ")}`);
  } catch {
    console.log("the customer could not be told");
  }
  return { order: order.id, total, payment, parcels };
});
