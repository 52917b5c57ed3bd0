import { workflow } from "cairnjs";

class Money {
  constructor(readonly cents: number) {}
  plus(other: Money) {
    return new Money(this.cents + other.cents);
  }
}

export default workflow("shop.sum", async (cents: number[]) => {
  let sum = new Money(0);
  for (const part of cents) sum = sum.plus(new Money(part));
  return sum.cents;
});
