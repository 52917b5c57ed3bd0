import { workflow } from "cairnjs";

const make = (word: string) => workflow("greet", async (name: string) => word + name);

export const greet = make("hello ");

export class Flows {
  ship() {
    return workflow("orders.ship", async () => 1);
  }
}

export default workflow("found", async () => 1);
