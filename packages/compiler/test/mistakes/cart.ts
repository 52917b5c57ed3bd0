export class Cart {
  total = 0;
  add(price: number) {
    this.total += price;
  }
}
