import { action, compensate, emit, sleep, workflow } from "cairnjs";

interface Item {
  sku: string;
  quantity: number;
  cents: number;
}

interface Order {
  id: string;
  customer: string;
  items: Item[];
}

class OutOfStock extends Error {
  constructor(
    readonly sku: string,
    readonly left: number,
  ) {
    super(`only ${left} of ${sku} left`);
  }
}

const STOCK = new Map([
  ["lantern", 12],
  ["rope", 1],
]);

const reserve = action("shop.reserve", async (sku: string, quantity: number) => {
  const left = STOCK.get(sku) ?? 0;
  if (left < quantity) throw new OutOfStock(sku, left);
  return { reservation: `${sku}×${quantity}` };
});
const release = action("shop.release", async (reservation: string) => `released ${reservation}`);
const priceShipping = action("shop.price-shipping", async (customer: string): Promise<number> =>
  customer === "ada" ? 0 : 490,
);
const charge = action("shop.charge", { retry: { attempts: 3 } }, async (customer: string, cents: number) => ({
  payment: `pay-${customer}-${cents}`,
}));
const ship = action(
  "shop.ship",
  async (orderId: string, reservations: string[]) => `${orderId}: ${reservations.join(" + ")}`,
);
const notify = action("shop.notify", async (_customer: string, _text: string) => {});

/** Everything of an item that is in stock, or what there is of it. */
async function reserveWhatIsLeft(item: Item) {
  try {
    const { reservation } = await reserve(item.sku, item.quantity);
    return { ...item, reservation };
  } catch (error) {
    if (!(error instanceof OutOfStock) || error.left === 0) throw error;
    const { reservation } = await reserve(item.sku, error.left);
    return { ...item, quantity: error.left, reservation };
  }
}

export default workflow("shop.checkout", async (order: Order) => {
  const [shippingCents, ...lines] = await Promise.all([
    priceShipping(order.customer),
    ...order.items.map(reserveWhatIsLeft),
  ]);
  for (const { reservation } of lines) compensate(release, reservation);

  const cents = lines.reduce((sum, line) => sum + line.quantity * line.cents, shippingCents);
  const { payment } = await charge(order.customer, cents);

  await sleep("2 hours"); // time to change one's mind
  const parcel = await ship(
    order.id,
    lines.map(({ reservation }) => reservation),
  );
  emit("shop.order.shipped.v1", { id: order.id, payment });
  await notify(order.customer, `Your order ${order.id} is on its way.`);
  return { payment, parcel, cents };
});

export const input: Order = {
  id: "o-17",
  customer: "grace",
  items: [
    { sku: "lantern", quantity: 2, cents: 2500 },
    { sku: "rope", quantity: 3, cents: 1200 },
  ],
};
