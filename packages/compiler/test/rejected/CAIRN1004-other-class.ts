import { workflow } from "cairnjs";
import { Base } from "./modules/classes.ts";

class Money {
  constructor(public cents: number) {}
}
class Wide extends Map {}
class Derived extends Base {}
class Mixed extends mixin(Error) {}

function mixin<T>(parent: T): T {
  return parent;
}

export default workflow("sample", async () => {
  return [new Money(5), new Wide(), new Derived(), new Mixed()];
});
