import * as cairn from "cairnjs";
import type { Payment } from "./payments.ts";
import pay, * as payments from "./payments.ts";
import { rate as baseRate, Status, Declined } from "./index.ts";

const body = async (payment: Payment) => {
  if (payment.status === Status.Open) await payments.charge(payment.cents * baseRate);
  await cairn.sleep(payments.Delay.Short);
  try {
    return await pay(payment);
  } catch (error) {
    if (error instanceof Declined) return payments.tools.refund(1);
    throw new Declined("unknown", Status);
  }
};

export default cairn.workflow("samples.modules", body);
