import { notify } from "@lib/notify";
import { charge, Currency, PaymentDeclined } from "./actions";
import * as cairn from "./cairn.ts";
import { quote } from "./child.js";

export const PRICES: Record<string, number> = { pen: 150, book: 2_000, piano: 400_000 };

interface Order {
  readonly name: string;
  readonly items: string[];
}

async function paid(cents: number): Promise<string> {
  try {
    return await charge(cents, Currency.Euro);
  } catch (error) {
    if (error instanceof PaymentDeclined) return `declined, ${error.reason}`;
    throw error;
  }
}

export default cairn.flow("shop.order.v1", async (order: Order) => {
  const cents = await quote(order.items);
  const payment = await paid(cents);
  const told = await notify(order.name, [...order.items, payment]);
  const spoiled = await cairn
    .stage("spoil", async () => {
      // Under another name, or the compiler would refuse it.
      const { items } = order;
      items.push("one more");
      return "written";
    })
    .catch((error: unknown) => String(error));
  const where = await cairn.step(
    "where",
    (async () => new Error("here").stack?.split("\n")[1] ?? "") as () => Promise<string>,
  );
  return { cents, payment, told, spoiled, where };
}) satisfies cairn.Workflow<[Order], unknown>;
