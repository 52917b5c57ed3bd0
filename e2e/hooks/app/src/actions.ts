import { action } from "cairnjs";

export enum Currency {
  Euro = "EUR",
}

export class PaymentDeclined extends Error {
  constructor(readonly reason: string) {
    super(`Declined: ${reason}`);
  }
}

export const charge = action("shop.charge.v1", async (cents: number, currency: Currency) => {
  if (cents > 10_000) throw new PaymentDeclined("too much");
  return `${cents} ${currency}`;
});
