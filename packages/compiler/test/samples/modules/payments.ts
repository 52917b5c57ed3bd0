import { action } from "cairnjs";
import { rate } from "./index.ts";
import { LIMIT } from "./rates.ts";

export interface Payment {
  cents: number;
  status: Status;
}

export enum Status {
  Open,
  Paid = 5,
  Late,
  Any = Open | Paid,
  Name = "name",
}

export const enum Delay {
  Short = LIMIT * 2,
}

export class Failure extends Error {
  code = "none";
}

export class Declined extends Failure {
  override name = "Declined";
  readonly at: number;
  constructor(
    readonly reason: string,
    public detail: unknown = null,
  ) {
    super(`declined: ${reason}`, { cause: detail });
    this.at = rate;
  }
}

export const charge = action("charge", async (cents: number) => cents);
export const tools = {
  charge,
  refund: action("tools.refund", async (cents: number) => cents),
  both: async (cents: number) => [await charge(cents), helper(cents)],
};

function helper(n: number): number {
  return n > LIMIT ? helper(n - 1) : n;
}

export default async function (payment: Payment) {
  return charge(helper(payment.cents));
}
