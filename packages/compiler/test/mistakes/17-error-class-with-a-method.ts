import { workflow } from "cairnjs";

class PaymentError extends Error {
  constructor(readonly code: number) {
    super(`payment failed: ${code}`);
  }
  isTemporary() {
    return this.code >= 500;
  }
}

export default workflow("shop.pay", async (code: number) => {
  if (code !== 200) throw new PaymentError(code);
  return "paid";
});
