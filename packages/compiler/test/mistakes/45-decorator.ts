import { workflow } from "cairnjs";

const logged = (target: unknown) => target;

class Orders {
  @logged
  ship(id: string) {
    return id;
  }
}

export default workflow("orders.ship", async (id: string) => new Orders().ship(id));
